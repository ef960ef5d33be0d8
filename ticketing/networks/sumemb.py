"""Channel E as it learns: the sum of a text's word embeddings; only the words are trained."""

import torch
import torch.nn.functional as F
from torch import Tensor

from ticketing.networks.channels import DenseChannel, EmbeddedTexts


def sum_embeddings(words: Tensor, rows: Tensor, starts: Tensor, weights: Tensor) -> Tensor:
    """Weighted sums of word embeddings, scaled to unit Euclidean length: -> [n, dims].

    `words` [U, dims] embeds local word ids, `weights` [U] weights them (idf), `rows` are n
    non-empty texts of local ids end to end, which begin at `starts` [n].
    """
    sums = F.embedding_bag(
        rows, words, starts, mode="sum", per_sample_weights=weights[rows]
    )  # [n, dims]
    return F.normalize(sums, dim=1)


class SumEmbChannel(DenseChannel):
    """Texts as the sums of their words' embeddings."""

    def forward(self, texts: EmbeddedTexts) -> Tensor:
        """n texts -> [n, width]."""
        starts = torch.from_numpy(texts.texts.bounds[:-1])
        return sum_embeddings(texts.embedded, texts.rows, starts, texts.weights)
