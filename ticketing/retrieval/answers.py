"""The sentence of a ticket's solution that answers a query."""

from collections.abc import Mapping

from ticketing.text import tokenize
from ticketing.text.sentences import sentences, shortened
from ticketing.text.telling import TellingWords

LONGEST = 240
"""Characters of an answer."""


class Answers:
    """Finds answering sentences under one model."""

    def __init__(self, telling: TellingWords):
        self._telling = telling

    def answer(self, asked: Mapping[str, str], solution: str) -> str:
        """The sentence that shares most, the first of equal ones; empty without a solution."""
        found = sentences(solution)
        if not found:
            return ""
        best = max(found, key=lambda sentence: self._shared(asked, sentence))
        return shortened(best, LONGEST)

    def _shared(self, asked: Mapping[str, str], sentence: str) -> float:
        return sum(self._telling.weight(token) for token in {*tokenize(sentence)} & asked.keys())
