"""Near-copies among the best tickets, which fold into the row of the best of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ticketing.retrieval.match import Match
from ticketing.text.telling import TellingWords

COPIED = 0.9
"""Least share of weight in common with a near-copy. Tickets written from one template reach .8 and
differ in the one word that tells ("Implement Ti.UI.Button", "Implement Ti.UI.Window")."""

LEAST_WORDS = 2
"""Telling words that make a subject one's own: "Error" is the subject of many things. So many words
of any kind make a whole text one's own."""


@dataclass(frozen=True)
class Row:
    """A match, and those after it that say nearly the same."""

    best: Match
    like: list[Match] = field(default_factory=list)


class Folder:
    """Folds tickets, weighing words as one archive does."""

    def __init__(self, telling: TellingWords):
        self._telling = telling

    def fold(self, ranked: Iterable[Match], limit: int) -> list[Row]:
        """The first `limit` rows, best first. No match is asked for beyond the first that would
        begin one row more."""
        rows: list[tuple[Row, _Said]] = []
        for match in ranked:
            said = self._read(match)
            for row, first in rows:
                if self._copies(said, first):
                    row.like.append(match)
                    break
            else:
                if len(rows) == limit:
                    break
                rows.append((Row(match), said))
        return [row for row, _ in rows]

    def _read(self, match: Match) -> "_Said":
        weight = self._telling.weight
        words = set(filter(weight, set(match.problem_words)))
        subject = words.intersection(match.subject_words)
        return _Said(match.problem_words, subject, words, self._sum(words))

    def _copies(self, one: "_Said", other: "_Said") -> bool:
        """Whether two tickets have one subject, or hardly a word that is not the other's."""
        if one.problem == other.problem and len(one.problem) >= LEAST_WORDS:
            return True
        if one.subject == other.subject and len(one.subject) >= LEAST_WORDS:
            return True
        less, more = min(one.weight, other.weight), max(one.weight, other.weight)
        if not less or less < COPIED * more:  # most pairs: no more can be shared than the less
            return False
        shared = self._sum(one.words & other.words)
        return shared >= COPIED * (less + more - shared)

    def _sum(self, words: set[str]) -> float:
        return sum(map(self._telling.weight, words))


@dataclass(frozen=True)
class _Said:
    """The words of a ticket's subject and description, those of its subject and of both that are
    telling, and what the latter weigh."""

    problem: list[str]
    subject: set[str]
    words: set[str]
    weight: float
