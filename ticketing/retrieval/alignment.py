"""Words of a query and of a ticket that are taken for each other: by meaning, form or spelling."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import OSA, Prefix

from ticketing.model.inference import Model
from ticketing.reasons import AlikeWords
from ticketing.text.telling import TellingWords

CLOSE = 0.5
"""Least cosine of two words taken for each other by meaning alone."""

NEIGHBOURS = 3
"""Each is then among so many words nearest to the other."""

CLOSE_FORMS = 0.4
"""Least cosine of two words that begin alike ("vibrate", "vibration")."""

MOST_ALIKE = 3
"""Pairs that are named, the closest ones."""

Near = tuple[float, str, str]
"""How near a word of a query and one of a ticket are, from 0 to 1, and both."""

_NEGATION = re.compile(r"^(dis|un|in|im|non|en)")


class Alignment:
    """Aligns words by one model's embedding of words, channel E's.

    The thresholds were chosen by looking at random pairs, see docs/explanation/reasons.md.
    """

    def __init__(self, model: Model, telling: TellingWords):
        self._model, self._vocabulary, self._telling = model, model.vocabulary, telling
        self._least = max(5, self._vocabulary.documents / 500)  # tickets that make a vector good
        self._neighbours = lru_cache(maxsize=1 << 13)(self._nearest)

    def near(self, asked: Collection[str], said: Collection[str]) -> list[Near]:
        """What may be taken for each other of all words of a query and of several tickets, the
        nearest first."""
        found = [*self._by_vector(asked, said), *self._by_spelling(asked, said)]
        return sorted(found, key=lambda pair: (-pair[0], pair[1:]))

    def align(
        self, near: Iterable[Near], asked: Mapping[str, str], said: Mapping[str, str]
    ) -> tuple[AlikeWords, ...]:
        """The nearest pairs, each word in one of them at most.

        `asked` and `said` are telling words of a query and of one ticket that the other lacks, each
        as it is written.
        """
        pairs: list[AlikeWords] = []
        taken: set[str] = set()
        for similarity, one, other in near:
            if len(pairs) == MOST_ALIKE:
                break
            if one not in asked or other not in said or taken & {one, other}:
                continue
            if self._alike(one, other):
                taken |= {one, other}
                pairs.append(AlikeWords(asked[one], said[other], similarity, other))
        return tuple(pairs)

    def _by_vector(self, asked: Iterable[str], said: Iterable[str]) -> list[Near]:
        ones, others = [*filter(self._has_vector, asked)], [*filter(self._has_vector, said)]
        if not (ones and others):
            return []
        ids = self._vocabulary.ids
        cosines = self._unit(ids(ones)) @ self._unit(ids(others)).T
        return [
            (round(float(cosines[i, j]), 3), ones[i], others[j])
            for i, j in np.argwhere(cosines >= CLOSE_FORMS)
            if cosines[i, j] >= CLOSE or begin_alike(ones[i], others[j])
        ]

    def _alike(self, one: str, other: str) -> bool:
        """Whether words that are near are taken for each other: not for a word and its negation,
        and by meaning only where no other words lie between them."""
        if _NEGATION.sub("", one) == _NEGATION.sub("", other):  # "visible", "invisible"
            return False
        if begin_alike(one, other) or not (self._has_vector(one) and self._has_vector(other)):
            return True
        [i, j] = self._vocabulary.ids([one, other])
        return j in self._neighbours(i) and i in self._neighbours(j)

    def _by_spelling(self, asked: Iterable[str], said: Iterable[str]) -> list[Near]:
        """A word that the vocabulary lacks has no vector of its own, but may be misspelled."""
        by_start: defaultdict[str, list[str]] = defaultdict(list)
        for one in asked:
            by_start[one[0]].append(one)
        known = self._vocabulary
        return [
            (round(float(OSA.normalized_similarity(one, other)), 3), one, other)
            for other in said
            for one in by_start.get(other[0], ())
            if (one not in known or other not in known) and misspelled(one, other)
        ]

    def _has_vector(self, word: str) -> bool:
        """Whether the model saw a word often enough to know what it means."""
        tickets = self._vocabulary.share(word) * self._vocabulary.documents
        return len(word) >= 3 and word.isalpha() and tickets >= self._least

    def _unit(self, ids: Sequence[int]) -> npt.NDArray[np.float32]:
        """Unit vectors of words: [n, dims]."""
        vectors, _ = self._model.word_vectors(ids)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: npt.NDArray[np.float32] = vectors / np.maximum(lengths, np.float32(1e-12))
        return unit

    @cached_property
    def _known(self) -> tuple[list[int], npt.NDArray[np.float32]]:
        """The ids of all telling words with a vector, and their unit vectors [n, dims]."""
        words = self._vocabulary.words
        ids = [
            id
            for id, word in enumerate(words, start=1)
            if self._has_vector(word) and self._telling.weight(word)
        ]
        return ids, self._unit(ids)

    def _nearest(self, id: int) -> frozenset[int]:
        """Ids of the NEIGHBOURS words nearest to one."""
        ids, vectors = self._known
        cosines = vectors @ self._unit([id])[0]
        best = np.argsort(-cosines, kind="stable")[: NEIGHBOURS + 1]
        return frozenset([ids[i] for i in best if ids[i] != id][:NEIGHBOURS])


def begin_alike(one: str, other: str) -> bool:
    """Whether two words share a beginning of four letters and of three fifths of the longer."""
    common = Prefix.similarity(one, other)
    return common >= 4 and common >= 0.6 * max(len(one), len(other))


def misspelled(one: str, other: str) -> bool:
    """Whether one word is the other with a slip or, in long ones, two: letters swapped, left out,
    doubled or mistaken, never the first."""
    shorter = min(len(one), len(other))
    if shorter < 5 or one[0] != other[0] or not (one.isalpha() and other.isalpha()):
        return False
    slips = 1 if shorter < 8 else 2
    return bool(OSA.distance(one, other, score_cutoff=slips) <= slips)
