"""Alignment: pairs of different words of a query and a ticket that mean the same, found by meaning,
form or spelling."""

import re
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import OSA, Prefix

from ticketing.encoders.sums import unit
from ticketing.model.inference import Model
from ticketing.reasons import AlikeWords
from ticketing.text.telling import TellingWords
from ticketing.text.tokens import first_written

CLOSE = 0.5
"""Minimum cosine of two words aligned by meaning alone."""

NEIGHBOURS = 3
"""Each of two words aligned by meaning must be among this many nearest neighbours of the other."""

CLOSE_FORMS = 0.4
"""Minimum cosine of two words with the same beginning ("vibrate", "vibration")."""

MOST_ALIKE = 3
"""Number of aligned pairs shown, the closest ones."""

SHORTEST = 5
"""Minimum number of letters of a word that may be a misspelling of another."""

Near = tuple[float, str, str]
"""Similarity from 0 to 1, word of the query, word of the ticket."""

_NEGATION = re.compile(r"^(dis|un|in|im|non|en)")


class Alignment:
    """Aligns words by the word embeddings of a model (channel E).

    The thresholds were chosen by looking at random pairs, see docs/explanation/reasons.md.
    """

    def __init__(self, model: Model, telling: TellingWords):
        self._model, self._vocabulary, self._telling = model, model.vocabulary, telling
        self._least = max(5, self._vocabulary.documents / 500)  # tickets for a good vector
        self._nearest: dict[str, dict[str, float]] = {}

    def near(self, asked: Collection[str], said: Collection[str]) -> list[Near]:
        """Candidate pairs of all words of a query and of several tickets, most similar first."""
        found = [*self._by_vector(asked, said), *self._by_spelling(asked, said)]
        return sorted(found, key=lambda pair: (-pair[0], pair[1:]))

    def align(
        self, near: Iterable[Near], asked: Mapping[str, str], said: Container[str], text: str
    ) -> tuple[AlikeWords, ...]:
        """Select the most similar pairs of `near` for one ticket; each word is in at most one pair.

        `asked` maps telling words of the query, which the ticket lacks, to how they are written.
        `said` are telling words of the ticket that the query lacks; `text` is the ticket's text.
        """
        pairs: list[Near] = []
        taken: set[str] = set()
        for similarity, one, other in near:
            if len(pairs) == MOST_ALIKE:
                break
            if other not in said or one not in asked or taken & {one, other}:
                continue
            if self._alike(one, other):
                taken |= {one, other}
                pairs.append((similarity, one, other))
        written = first_written(text, [other for *_, other in pairs])
        return tuple(
            AlikeWords(asked[one], written[other], similarity, other)
            for similarity, one, other in pairs
        )

    def _by_vector(self, asked: Collection[str], said: Collection[str]) -> list[Near]:
        places, _ = self._known
        known, others = [word for word in asked if word in places], set(said)
        self._remember(known)
        return [
            (round(near[other], 3), one, other)
            for one, near in ((word, self._nearest[word]) for word in known)
            for other in others.intersection(near)
        ]

    def _alike(self, one: str, other: str) -> bool:
        """Whether two similar words may be aligned: not if one is the negation of the other; by
        meaning only if each is among the nearest neighbours of the other."""
        if _negated(one, other):
            return False
        places, _ = self._known
        if begin_alike(one, other) or not (one in places and other in places):
            return True
        self._remember([one, other])
        neighbours = [[*islice(self._nearest[word], NEIGHBOURS)] for word in (one, other)]
        return other in neighbours[0] and one in neighbours[1]

    def _by_spelling(self, asked: Iterable[str], said: Iterable[str]) -> list[Near]:
        """Pairs in which a word may be a misspelling. A word outside the vocabulary has no vector,
        so this is the only way to align it."""
        asked, said = (
            [word for word in words if len(word) >= SHORTEST and word.isalpha()]
            for words in (asked, said)
        )
        everybody, strangers = _by_start(said), _by_start(self._vocabulary.lacking(said))
        return [
            (round(float(OSA.normalized_similarity(one, other)), 3), one, other)
            for one in asked
            for other in (strangers if one in self._vocabulary else everybody).get(one[0], ())
            if misspelled(one, other)
        ]

    def _has_vector(self, word: str) -> bool:
        """Whether a word was in enough training tickets to have a good vector."""
        tickets = self._vocabulary.share(word) * self._vocabulary.documents
        return len(word) >= 3 and word.isalpha() and tickets >= self._least

    @cached_property
    def _known(self) -> tuple[dict[str, int], npt.NDArray[np.float32]]:
        """All telling words with good vectors: the row of each, and their unit vectors [n,
        dims]."""
        words = [
            word
            for word in self._vocabulary.words
            if self._has_vector(word) and self._telling.weight(word)
        ]
        places = {word: place for place, word in enumerate(words)}
        return places, unit(self._model.words.table[self._vocabulary.ids(words)])

    def _remember(self, words: Iterable[str]) -> None:
        """Find and cache, for each of some known words, the words that may be aligned with it, with
        cosines, most similar first: close words, and words with the same beginning that are nearly
        as close."""
        places, vectors = self._known
        new = [word for word in words if word not in self._nearest]
        if not new:
            return
        known = [*places]
        all_cosines = vectors[[places[word] for word in new]] @ vectors.T
        for word, cosines in zip(new, all_cosines, strict=True):
            near = np.flatnonzero(cosines >= CLOSE_FORMS)
            near = near[np.argsort(-cosines[near], kind="stable")]
            found = {
                known[i]: cosine
                for i, cosine in zip(near, cosines[near].tolist(), strict=True)
                if cosine >= CLOSE or begin_alike(word, known[i])
            }
            found.pop(word, None)
            self._nearest[word] = found


def _by_start(words: Iterable[str]) -> defaultdict[str, list[str]]:
    """Words by their first letter."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for word in words:
        found[word[0]].append(word)
    return found


def _negated(one: str, other: str) -> bool:
    """Whether two words differ only by a negating prefix: "visible" and "invisible", or "install"
    and "uninstall" (although "install" itself begins with "in")."""
    first, second = _NEGATION.sub("", one), _NEGATION.sub("", other)
    return first in (second, other) or second == one


def begin_alike(one: str, other: str) -> bool:
    """Whether two words have a common prefix of at least four letters and three fifths of the
    longer word."""
    common = Prefix.similarity(one, other)
    return common >= 4 and common >= 0.6 * max(len(one), len(other))


def misspelled(one: str, other: str) -> bool:
    """Whether one word is the other with one typing error, or up to two in longer words: letters
    swapped, missing, doubled or wrong, but never the first letter."""
    shorter = min(len(one), len(other))
    if shorter < SHORTEST or one[0] != other[0] or not (one.isalpha() and other.isalpha()):
        return False
    slips = 1 if shorter < 8 else 2
    return bool(OSA.distance(one, other, score_cutoff=slips) <= slips)
