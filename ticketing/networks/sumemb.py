"""Channel E as it learns: the sum of a text's word embeddings; only the words are trained."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from ticketing.networks.channels import DenseChannel, EmbeddedTexts


def sum_embeddings(words: Tensor, texts: Sequence[Tensor], weights: Tensor) -> Tensor:
    """Weighted sums of word embeddings, scaled to unit Euclidean length: -> [n, dims].

    `words` [U, dims] embeds local word ids, `weights` [U] weights them (idf), `texts`
    are n non-empty vectors of local ids.
    """
    flat = torch.cat(list(texts))
    starts = torch.tensor([0, *map(len, texts[:-1])]).cumsum(0)
    sums = F.embedding_bag(
        flat, words, starts, mode="sum", per_sample_weights=weights[flat]
    )  # [n, dims]
    return F.normalize(sums, dim=1)


class SumEmbChannel(DenseChannel):
    """Texts as the sums of their words' embeddings."""

    def forward(self, texts: EmbeddedTexts) -> Tensor:
        """n texts -> [n, width]."""
        return sum_embeddings(texts.embedded, texts.rows, texts.weights)
