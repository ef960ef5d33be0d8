"""Channel E in training: the sum of a text's word embeddings; only the word embeddings are
trained."""

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor

from ticketing.compiled import compiled
from ticketing.encoders.protocol import Texts
from ticketing.encoders.settings import EncoderSettings
from ticketing.encoders.sums import damped, sums_of
from ticketing.networks.channels import DenseChannel, EmbeddedTexts
from ticketing.nn.threads import halves

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


def sum_embeddings(words: Tensor, rows: Tensor, bounds: Tensor, weights: Tensor) -> Tensor:
    """Weighted sums of word embeddings, scaled to unit Euclidean length: -> [n, dims].

    `words` [U, dims] embeds local word ids, `rows` [W] are n texts of local ids end to end,
    `weights` [W] weights them and is not learned, and `bounds` [n + 1] say where they begin.
    """
    sums: Tensor = _Sums.apply(  # type: ignore[no-untyped-call]  # torch says nothing of apply
        words, rows, bounds, weights
    )
    return F.normalize(sums, dim=1)


class SumEmbChannel(DenseChannel):
    """Texts as the sums of their words' embeddings, see encoders.sumemb."""

    def __init__(self, width: int, settings: EncoderSettings):
        super().__init__(width)
        self.settings = settings

    def forward(self, texts: EmbeddedTexts) -> Tensor:
        """n texts -> [n, width]."""
        read, share = texts.texts, self.settings.whole_share
        counts = damped(read.words, read.bounds, self.settings.repeats)
        own = _sums(texts, read, counts)
        if not share:
            return own
        bounds = read.bounds
        parts = [counts[bounds[first] : bounds[last]] for first, last in read.wholes]
        whole = _sums(texts, read.joined, np.concatenate(parts))
        return F.normalize((1 - share) * own + share * whole, dim=1)


def _sums(texts: EmbeddedTexts, read: Texts, counts: Floats) -> Tensor:
    """Sums of embedded texts, each by itself, with words weighted by idf times `counts`: [n,
    width]."""
    bounds, rows = torch.from_numpy(read.bounds), texts.rows(read)
    weights = texts.weights[rows] * torch.from_numpy(counts)
    return sum_embeddings(texts.embedded, rows, bounds, weights)


class _Sums(torch.autograd.Function):
    """Weighted sums of the rows of words [U, dims] over texts: -> [n, dims]."""

    @staticmethod
    def forward(ctx: Any, words: Tensor, rows: Tensor, bounds: Tensor, weights: Tensor) -> Tensor:
        ctx.save_for_backward(rows, bounds, weights)
        ctx.words = words.shape
        table = words.detach().contiguous().numpy()
        return torch.from_numpy(sums_of(table, rows.numpy(), bounds.numpy(), weights.numpy()))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        rows, bounds, weights = (x.numpy() for x in ctx.saved_tensors)
        above, of_words = gradients[0].contiguous().numpy(), np.zeros(ctx.words, np.float32)
        halves(partial(_pull, above, rows, bounds, weights, of_words), ctx.words[1])
        return torch.from_numpy(of_words), None, None, None


@compiled
def _pull(
    above: Floats,
    rows: Ints,
    bounds: Ints,
    weights: Floats,
    of_words: Floats,
    first: int,
    last: int,
) -> None:
    """Gradients of words [U, dims] from those of texts [n, dims], in the dimensions from `first` to
    `last`."""
    for n in range(len(above)):
        pull = above[n, first:last]
        for i in range(bounds[n], bounds[n + 1]):
            one, weight = of_words[rows[i], first:last], weights[i]
            for j in range(len(pull)):
                one[j] += weight * pull[j]
