"""What a pair of sentences has beside g of its networks: the product's other channels, in pairs.

E, the sum of word vectors, and S, a local sentence encoder, give |a - b|, a * b and the cosine of
two vectors; L says which words the two share and how near the others come. g itself is h.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ticketing.experiments.malstm.datasets import Teacher, rarity, sum_of_words
from ticketing.experiments.malstm.sick import NEGATING, Pair, sentences, words
from ticketing.experiments.malstm.word_vectors import WordVectors

Channel = Callable[[Sequence[Pair]], npt.NDArray[np.floating]]
"""Pairs -> float64 [n, dims]."""


def channels(
    vectors: WordVectors, known: Sequence[Pair], encoder: Teacher | None
) -> dict[str, Channel]:
    """E, L and, with an encoder, S; words are weighed by how rare they are in known pairs."""
    weights = rarity(vectors, sentences(known))
    found: dict[str, Channel] = {
        "E": vector_channel(sum_of_words(vectors, weights)),
        "L": WordChannel(vectors, weights),
    }
    return found | ({"S": vector_channel(encoder)} if encoder else {})


def vector_channel(encode: Teacher) -> Channel:
    """E or S: [n, 2 dims + 1] of unit vectors of `dims`."""

    def channel(pairs: Sequence[Pair]) -> npt.NDArray[np.float32]:
        one, other = encode([p.one for p in pairs]), encode([p.other for p in pairs])
        shared = one * other
        return np.hstack([np.abs(one - other), shared, shared.sum(1, keepdims=True)])

    return channel


class WordChannel:
    """L: which words two sentences share, and how near the words of only one come to the other's.

    `rarity` [V] weighs words by id.
    """

    def __init__(self, vectors: WordVectors, rarity: npt.NDArray[np.float64]):
        self._units = vectors.unit_vectors()  # [V, dims]
        self._ids = vectors.ids
        self._rarity = rarity

    def __call__(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """[n, 15]."""
        return np.array([self._overlap(words(pair.one), words(pair.other)) for pair in pairs])

    def _overlap(self, one: Sequence[str], other: Sequence[str]) -> list[float]:
        mine, theirs = set(one), set(other)
        negated = [bool(side & NEGATING) for side in (mine, theirs)]
        return [
            _share(mine, theirs),
            self._weight(mine & theirs) / max(self._weight(mine | theirs), 1e-9),
            _share(_neighbours(one), _neighbours(other)),
            len(one) - len(other),
            abs(len(one) - len(other)),
            negated[0] != negated[1],
            sum(negated),
            *self._left_over(mine - theirs, theirs - mine),
        ]

    def _weight(self, some: set[str]) -> float:
        return float(self._rarity[self._ids(sorted(some))].sum())

    def _left_over(self, my_own: set[str], their_own: set[str]) -> list[float]:
        """For each side: number and weight of its own words, mean and least of how near they come
        to a word of the other side's own (cosine; 0 where there is none, 1 without own words)."""
        mine, theirs = sorted(my_own), sorted(their_own)
        near = self._units[self._ids(mine)] @ self._units[self._ids(theirs)].T  # [mine, theirs]
        found: list[float] = []
        for own, nearness in ((mine, near), (theirs, near.T)):
            best = nearness.max(1, initial=0) if own else np.ones(1)
            found += [len(own), self._weight(set(own)), float(best.mean()), float(best.min())]
        return found


def _share(one: set[Any], other: set[Any]) -> float:
    """Jaccard's index; 0 for two empty sets."""
    return len(one & other) / max(len(one | other), 1)


def _neighbours(sentence: Sequence[str]) -> set[tuple[str, str]]:
    return set(pairwise(sentence))
