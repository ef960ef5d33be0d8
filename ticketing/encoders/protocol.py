"""The interface of an encoder, which turns text components into vectors or weighted terms.

A new encoder is a module with such a class and a KIND, listed in `encoders.registry`. Encoders here
only apply trained weights; `ticketing.networks` trains them.
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
"""Range [first, last) of the texts that belong together: a subject and its description, or one text
alone."""


@dataclass(frozen=True)
class Texts:
    """n texts of at least one word each, the input of every encoder.

    `ids` are vocabulary ids; ids from len(vocabulary) on are words of `unknown`. `wholes` gives,
    for each text, the whole that it is part of.
    """

    ids: Sequence[Sequence[int]]
    wholes: Sequence[Whole] = ()
    unknown: Sequence[str] = ()
    spelled: npt.NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    """Spelling vectors of the unknown words, float32 [len(unknown), character_dims]."""

    @cached_property
    def words(self) -> npt.NDArray[np.int64]:
        """The word ids of all texts, concatenated."""
        return np.fromiter(chain.from_iterable(self.ids), np.int64, int(self.bounds[-1]))

    @cached_property
    def bounds(self) -> npt.NDArray[np.int64]:
        """Start of each text in `words`, and the end of the last: int64 [n + 1]."""
        return np.cumsum([0, *map(len, self.ids)])

    @cached_property
    def joined(self) -> "Texts":
        """Each text replaced by all words of its whole: the subject's, then the description's."""
        ids = [[*chain.from_iterable(self.ids[slice(*whole)])] for whole in self.wholes]
        return Texts(ids, unknown=self.unknown, spelled=self.spelled)


@dataclass(frozen=True)
class Saved:
    """What a bundle keeps of an encoder, beside the network's weights."""

    document: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


class Encoder(Protocol):
    """One channel: encodes n texts as n vectors, or as the weighted terms of n texts."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one encoded text."""

    @property
    def dtype(self) -> npt.DTypeLike:
        """The number type of an encoded text."""

    def __call__(self, texts: Texts) -> npt.NDArray[Any]:
        """Encode texts -> [n, *shape]."""


@dataclass(frozen=True)
class Parts:
    """What an encoder is built from.

    `resource` was fitted or loaded before, for example a topic model or a transformer. `arrays` are
    the encoder's trained weights and `words` the word embeddings; encoders that are not trained
    with the network need neither.
    """

    vocabulary: Vocabulary
    settings: EncoderSettings
    resource: Any = None
    words: Words = field(default_factory=Words.none)
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class EncoderKind:
    """All facts about an encoder that are needed before one is built.

    `weight` is its W in Table 2 (Gupta et al. 2018), `start_share` its initial share of the
    distance of unrelated texts if weights are learned, and `grid` the values of W tried by a grid
    search. A kind that is not `trained` is added after the other channels were trained without it.
    """

    symbol: str
    """One letter: the channel's name in settings, bundles and parts."""
    label: str
    """The name that people read."""
    weight: float
    start_share: float
    grid: tuple[float, ...]
    build: Callable[[Parts], Encoder]
    width: Callable[[EncoderSettings], int] | None = None
    """Width of a dense encoder's vectors; None for a sparse one, which gives weighted terms."""
    trained: bool = True
    save: Callable[[Any], Saved] | None = None
    """Converts the encoder's resource for a bundle; None if there is no resource."""
    load: Callable[[Saved], Any] | None = None
    """Reads the resource that `save` wrote."""

    @property
    def dense(self) -> bool:
        """Whether its texts become vectors (of one width) rather than terms."""
        return self.width is not None
