"""Channel E: the sum of a text's word embeddings (SumEMB)."""

import torch
import torch.nn.functional as F
from torch import Tensor


def sum_embeddings(words: Tensor, texts: list[list[int]], weights: Tensor) -> Tensor:
    """Weighted sums of word embeddings, scaled to unit Euclidean length: -> [n, dims].

    `words` [U, dims] embeds local word ids, `weights` [U] weights them (idf), `texts`
    are n non-empty lists of local ids. Without the scaling a Manhattan distance between
    a subject and a description would measure little but their lengths.
    """
    flat = torch.tensor([word for text in texts for word in text])
    starts = torch.tensor([0, *map(len, texts[:-1])]).cumsum(0)
    sums = F.embedding_bag(
        flat, words, starts, mode="sum", per_sample_weights=weights[flat]
    )  # [n, dims]
    return F.normalize(sums, dim=1)
