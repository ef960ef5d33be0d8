"""Channel E: the sum of a text's word embeddings (SumEMB)."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from ticketing.encoders.protocol import DenseEncoder, EncoderKind, Texts
from ticketing.encoders.settings import EncoderSettings


def sum_embeddings(words: Tensor, texts: Sequence[Tensor], weights: Tensor) -> Tensor:
    """Weighted sums of word embeddings, scaled to unit Euclidean length: -> [n, dims].

    `words` [U, dims] embeds local word ids, `weights` [U] weights them (idf), `texts`
    are n non-empty vectors of local ids. Without the scaling a Manhattan distance between
    a subject and a description would measure little but their lengths.
    """
    flat = torch.cat(list(texts))
    starts = torch.tensor([0, *map(len, texts[:-1])]).cumsum(0)
    sums = F.embedding_bag(
        flat, words, starts, mode="sum", per_sample_weights=weights[flat]
    )  # [n, dims]
    return F.normalize(sums, dim=1)


class SumEmbEncoder(DenseEncoder):
    """Texts as the sums of their words' embeddings; nothing in it is trained but the words."""

    def forward(self, texts: Texts) -> Tensor:
        """n texts -> [n, width]."""
        return sum_embeddings(texts.embedded, texts.rows, texts.weights)


def _width(settings: EncoderSettings) -> int:
    return settings.word_dims + settings.character_dims


KIND = EncoderKind(
    symbol="E",
    label="Meaning",
    weight=0.1,
    start_share=0.5,
    grid=(0.1, 0.2, 0.3),
    build=lambda parts: SumEmbEncoder(_width(parts.settings)),
    width=_width,
)
