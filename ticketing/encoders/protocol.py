"""What an encoder is: a plug that turns text components into vectors or terms.

A new encoder is a module with a class like these and a KIND, named in `encoders.registry`. What is
here reads texts with what was learned before; the networks that learn are `ticketing.networks`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ticketing.encoders.settings import EncoderSettings
from ticketing.encoders.words import Words
from ticketing.text.vocabulary import Vocabulary

Whole = tuple[int, int]
"""The first of the texts that belong together, and the one after the last: a subject and its
description, or one text by itself."""


@dataclass(frozen=True)
class Texts:
    """n texts of at least one word each, as every encoder wants them.

    `ids` are vocabulary ids; those from len(vocabulary) on are the words of `unknown`. `wholes`
    say, by text, which whole it is part of.
    """

    ids: Sequence[Sequence[int]]
    wholes: Sequence[Whole] = ()
    unknown: Sequence[str] = ()
    spelled: npt.NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    """What the unknown words' spelling says of each, float32 [len(unknown), character_dims]."""

    @cached_property
    def words(self) -> npt.NDArray[np.int64]:
        """The words of all texts end to end."""
        return np.fromiter(chain.from_iterable(self.ids), np.int64, int(self.bounds[-1]))

    @cached_property
    def bounds(self) -> npt.NDArray[np.int64]:
        """Where each text begins in `words`, and where the last one ends: int64 [n + 1]."""
        return np.cumsum([0, *map(len, self.ids)])

    @cached_property
    def joined(self) -> "Texts":
        """Each text with all the words of its whole: the subject's, then the description's."""
        ids = [[*chain.from_iterable(self.ids[slice(*whole)])] for whole in self.wholes]
        return Texts(ids, unknown=self.unknown, spelled=self.spelled)


@dataclass(frozen=True)
class Saved:
    """What a bundle keeps of an encoder beside the network's weights."""

    document: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


class Encoder(Protocol):
    """One channel: n texts become n vectors, or n texts' weighted terms."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what one text becomes."""

    @property
    def dtype(self) -> npt.DTypeLike:
        """The type of the numbers that a text becomes."""

    def __call__(self, texts: Texts) -> npt.NDArray[Any]:
        """Texts -> [n, *shape]."""


@dataclass(frozen=True)
class Parts:
    """What an encoder is made of.

    `resource` was fitted or loaded before: topics, a transformer. `arrays` are the encoder's own
    of a trained network, and `words` what it embeds words as; those that learn nothing while a
    network is trained need neither.
    """

    vocabulary: Vocabulary
    settings: EncoderSettings
    resource: Any = None
    words: Words = field(default_factory=Words.none)
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


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
    """Width of a dense encoder's vectors; None for a sparse one, whose texts are weighted terms."""
    trained: bool = True
    save: Callable[[Any], Saved] | None = None
    """What a bundle must keep of the encoder's resource; None where there is none."""
    load: Callable[[Saved], Any] | None = None
    """The resource that `save` described."""

    @property
    def dense(self) -> bool:
        """Whether its texts are vectors (of one width) rather than terms."""
        return self.width is not None
