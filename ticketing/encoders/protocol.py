"""What an encoder is: a plug that turns text components into vectors or terms and compares them.

A new encoder is a module with a class like these and a KIND, named in `encoders.registry`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from ticketing.encoders.settings import EncoderSettings
from ticketing.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class Texts:
    """n texts of at least one word each, as every encoder wants them.

    `ids` are vocabulary ids; those from len(vocabulary) on are the words of `unknown`. The distinct
    ids are embedded once, in `embedded` [U, dims] with `weights` [U] (idf), and `rows` are the
    texts again, as rows of these. `openings` are, by text, the words that stand before it where its
    whole is read: a description's subject.
    """

    ids: Sequence[Sequence[int]]
    openings: Sequence[Sequence[int]]
    unknown: Sequence[str]
    embedded: Tensor
    weights: Tensor
    rows: Sequence[Tensor]


@dataclass(frozen=True)
class Saved:
    """What a bundle keeps of an encoder beside the network's weights."""

    document: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


class Encoder(Protocol):
    """One channel: n texts become n vectors (or terms), and two texts are some distance apart."""

    def __call__(self, texts: Texts) -> Tensor:
        """Texts -> [n, *shape], where `blank(n)` has the same shape."""

    def blank(self, *leading: int) -> Tensor:
        """What stands for missing texts: zeros [*leading, *shape]."""

    def matched(self, query: Tensor, ticket: Tensor) -> Tensor:
        """Distances of B given pairs: [B, P, *shape], [B, R, *shape] -> [B, P, R]."""

    def crossed(self, query: Tensor, ticket: Tensor, compared: Tensor) -> Tensor:
        """Distances, each with each: [B, P, *shape], [N, R, *shape] -> [B, N, P, R].

        Pairs for which bool `compared` [P, R] is False may be left at 0.
        """

    def saved(self) -> Saved | None:
        """What a bundle must keep of it beside the network's weights; None for nothing."""


class DenseEncoder(nn.Module):
    """An encoder whose texts are vectors of `width` numbers, compared by Manhattan distance."""

    def __init__(self, width: int):
        super().__init__()
        self.width = width

    def blank(self, *leading: int) -> Tensor:
        """See Encoder: float32 [*leading, width]."""
        return torch.zeros(*leading, self.width)

    def matched(self, query: Tensor, ticket: Tensor) -> Tensor:
        """See Encoder: [B, P, D], [B, R, D] -> [B, P, R]."""
        return torch.cdist(query, ticket, p=1)

    def crossed(self, query: Tensor, ticket: Tensor, compared: Tensor) -> Tensor:
        """See Encoder: [B, P, D], [N, R, D] -> [B, N, P, R]; what is not compared stays 0."""
        return crossed_manhattan(query, ticket, compared)

    def saved(self) -> Saved | None:
        """See Encoder: nothing beside its weights."""
        return None


def crossed_manhattan(query: Tensor, ticket: Tensor, compared: Tensor) -> Tensor:
    """L1 distances, each with each: [B, P, D], [N, R, D] -> [B, N, P, R].

    Pairs for which bool `compared` [P, R] is False are left at 0.
    """
    rows = []
    for p in range(query.shape[1]):
        for r in range(ticket.shape[1]):
            if compared[p, r]:
                rows.append(torch.cdist(query[:, p], ticket[:, r], p=1))  # [B, N]
            else:
                rows.append(query.new_zeros(len(query), len(ticket)))
    apart: Tensor = torch.stack(rows, -1).unflatten(-1, tuple(compared.shape))
    return apart


@dataclass(frozen=True)
class Parts:
    """What a network is built from, shared by all its encoders.

    `resources` holds, by channel, what was fitted or loaded before: topics, a transformer.
    """

    vocabulary: Vocabulary
    settings: EncoderSettings
    embedding_dims: int
    dropout: float
    resources: Mapping[str, Any]


@dataclass(frozen=True)
class EncoderKind:
    """All that the product must know of an encoder before one is built.

    `weight` is its W of Table 2 (Gupta et al. 2018), `start_share` its share of the distance of
    unrelated texts where weights are learned, and `grid` what a search tries for W. A kind that is
    not `trained` joins a network whose other channels were trained without it.
    """

    symbol: str
    """One letter: the channel's name in settings, bundles and parts."""
    label: str
    """What people call it."""
    weight: float
    start_share: float
    grid: tuple[float, ...]
    build: Callable[[Parts], Encoder]
    width: Callable[[EncoderSettings], int] | None = None
    """Of a dense encoder's vectors; None for a sparse one, whose texts are weighted terms."""
    trained: bool = True
    load: Callable[[Saved], Any] | None = None
    """The resource that `Encoder.saved` described."""

    @property
    def dense(self) -> bool:
        """Whether its texts are vectors (of one width) rather than terms."""
        return self.width is not None
