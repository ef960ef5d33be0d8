"""The interface of a channel of a network in training: encodes texts as tensors and computes their
distances."""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from ticketing.encoders.protocol import Texts
from ticketing.networks.manhattan import crossed_manhattan


@dataclass(frozen=True)
class EmbeddedTexts:
    """n texts of at least one word each, as vocabulary ids and as embedded words.

    The `distinct` ids [U], ascending, are embedded once: `embedded` [U, dims], with `weights` [U]
    (idf).
    """

    texts: Texts
    distinct: Tensor
    embedded: Tensor
    weights: Tensor

    def rows(self, texts: Texts) -> Tensor:
        """The words of texts as rows of `embedded`, concatenated: [words]. The texts must not have
        other words."""
        return torch.searchsorted(self.distinct, torch.from_numpy(texts.words))


class Channel(Protocol):
    """Encodes n texts as vectors (or terms), and computes distances of encoded texts."""

    def __call__(self, texts: EmbeddedTexts) -> Tensor:
        """Texts -> [n, *shape], where `blank(n)` has the same shape."""

    def blank(self, *leading: int) -> Tensor:
        """The value of missing texts: zeros [*leading, *shape]."""

    def matched(self, query: Tensor, ticket: Tensor) -> Tensor:
        """Distances of B given query-ticket pairs: [B, P, *shape], [B, R, *shape] -> [B, P, R]."""

    def crossed(self, query: Tensor, ticket: Tensor, compared: Tensor) -> Tensor:
        """Distances of all queries and tickets: [B, P, *shape], [N, R, *shape] -> [B, N, P, R].

        Pairs for which bool `compared` [P, R] is False may be left at 0.
        """


class DenseChannel(nn.Module):
    """A channel whose texts are vectors of `width` numbers, compared by Manhattan distance."""

    def __init__(self, width: int):
        super().__init__()
        self.width = width

    def blank(self, *leading: int) -> Tensor:
        """See Channel: float32 [*leading, width]."""
        return torch.zeros(*leading, self.width)

    def matched(self, query: Tensor, ticket: Tensor) -> Tensor:
        """See Channel: [B, P, D], [B, R, D] -> [B, P, R]."""
        return torch.cdist(query, ticket, p=1)

    def crossed(self, query: Tensor, ticket: Tensor, compared: Tensor) -> Tensor:
        """See Channel: [B, P, D], [N, R, D] -> [B, N, P, R]; 0 for pairs that are not compared."""
        return crossed_manhattan(query, ticket, compared)
