"""What a channel is while a network learns: texts become tensors, and are some distance apart."""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from ticketing.encoders.protocol import Texts
from ticketing.networks.manhattan import crossed_manhattan


@dataclass(frozen=True)
class EmbeddedTexts:
    """n texts of at least one word each, as vocabulary ids and as embedded words.

    Their `distinct` ids [U], ascending, are embedded once, in `embedded` [U, dims] with `weights`
    [U] (idf).
    """

    texts: Texts
    distinct: Tensor
    embedded: Tensor
    weights: Tensor

    def rows(self, texts: Texts) -> Tensor:
        """The words of texts that have no others, end to end, as rows of `embedded`: [words]."""
        return torch.searchsorted(self.distinct, torch.from_numpy(texts.words))


class Channel(Protocol):
    """n texts become n vectors (or terms), and two texts are some distance apart."""

    def __call__(self, texts: EmbeddedTexts) -> Tensor:
        """Texts -> [n, *shape], where `blank(n)` has the same shape."""

    def blank(self, *leading: int) -> Tensor:
        """What stands for missing texts: zeros [*leading, *shape]."""

    def matched(self, query: Tensor, ticket: Tensor) -> Tensor:
        """Distances of B given pairs: [B, P, *shape], [B, R, *shape] -> [B, P, R]."""

    def crossed(self, query: Tensor, ticket: Tensor, compared: Tensor) -> Tensor:
        """Distances, each with each: [B, P, *shape], [N, R, *shape] -> [B, N, P, R].

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
        """See Channel: [B, P, D], [N, R, D] -> [B, N, P, R]; what is not compared stays 0."""
        return crossed_manhattan(query, ticket, compared)
