"""Spelling suggestions ("did you mean") for words that are not in the vocabulary."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from rapidfuzz import process
from rapidfuzz.distance import OSA

from ticketing.retrieval.alignment import misspelled
from ticketing.text.telling import singular
from ticketing.text.tokens import first_written
from ticketing.text.vocabulary import Vocabulary

MOST_LOOKED_UP = 8
"""Maximum number of unknown words of a query that are looked up, from its beginning."""

LEAST_COUNT, LEAST_SHARE = 3, 1 / 3000
"""Minimum number and share of tickets that contain a suggested word; rarer words may be errors
themselves."""

CLEARLY = 4
"""The suggested word must be in this many times as many tickets as any other word at the same edit
distance."""


class Corrector:
    """Suggests words of a vocabulary."""

    def __init__(self, vocabulary: Vocabulary):
        self._vocabulary = vocabulary
        one_slip = max(LEAST_COUNT, LEAST_SHARE * vocabulary.documents)
        self._least = {1: one_slip, 2: 5 * one_slip}  # two errors need a frequent word

    def meant(self, text: str, words: Iterable[str]) -> dict[str, str]:
        """Suggestions for unknown words of a text, by the word as it is written. `words` are the
        text's tokens.

        Only unambiguous ones, see `best`. Empty for an empty vocabulary.
        """
        unknown = self._vocabulary.lacking(dict.fromkeys(words))
        looked_up = [word for word in unknown if word.isalpha() and len(word) >= 5][:MOST_LOOKED_UP]
        found = {word: best for word in looked_up if (best := self.best(word))}
        written = first_written(text, found)
        return {written[word]: best for word, best in found.items()}

    def best(self, word: str) -> str:
        """The one known word within one or two typing errors of an unknown word: the nearest and,
        among these, clearly the most frequent. "" if that is ambiguous, or if the word is the
        plural of a known word."""
        if singular(word) in self._vocabulary:
            return ""
        near = [
            (slips, -self._count(known), known)
            for known, slips, _ in process.extract(
                word, self._candidates(word), scorer=OSA.distance, score_cutoff=2, limit=None
            )
            if misspelled(word, known) and self._count(known) >= self._least[slips]
        ]
        if not near:
            return ""
        (slips, count, best), *rest = sorted(near)
        rivals = [other for other in rest if other[0] == slips and singular(other[2]) != best]
        return "" if rivals and -count < CLEARLY * -rivals[0][1] else best

    def _count(self, word: str) -> int:
        [id] = self._vocabulary.ids([word])
        return self._vocabulary.document_counts[id - 1]

    def _candidates(self, word: str) -> Sequence[str]:
        lengths = range(len(word) - 2, len(word) + 3)
        return [known for length in lengths for known in self._by_start.get((word[0], length), ())]

    @cached_property
    def _by_start(self) -> defaultdict[tuple[str, int], list[str]]:
        """Words that may be suggested, by first letter and length."""
        words: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        counted = zip(self._vocabulary.words, self._vocabulary.document_counts, strict=True)
        for word, count in counted:
            if count >= self._least[1] and word.isalpha():
                words[word[0], len(word)].append(word)
        return words
