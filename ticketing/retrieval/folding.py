"""Folding: near-copies among the best tickets are grouped into the row of the best of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ticketing.retrieval.match import Match
from ticketing.text.telling import TellingWords

COPIED = 0.9
"""Minimum share of common weight of near-copies. Tickets written from one template reach .8 and
differ in the one word that matters ("Implement Ti.UI.Button", "Implement Ti.UI.Window")."""

LEAST_WORDS = 2
"""Minimum number of telling words for equal subjects to mean near-copies: many different problems
have the subject "Error". For equal whole texts, the minimum number of words of any kind."""


@dataclass(frozen=True)
class Row:
    """A match and its near-copies with lower ranks."""

    best: Match
    like: list[Match] = field(default_factory=list)


class Folder:
    """Folds tickets, with the word weights of one archive."""

    def __init__(self, telling: TellingWords):
        self._telling = telling

    def fold(self, ranked: Iterable[Match], limit: int) -> list[Row]:
        """The first `limit` rows, best first. Reads no further matches than the first one that
        would begin another row."""
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
        """Whether two tickets have equal texts or subjects, or nearly the same telling words."""
        if one.problem == other.problem and len(one.problem) >= LEAST_WORDS:
            return True
        if one.subject == other.subject and len(one.subject) >= LEAST_WORDS:
            return True
        less, more = min(one.weight, other.weight), max(one.weight, other.weight)
        if not less or less < COPIED * more:  # shared weight cannot exceed `less`
            return False
        shared = self._sum(one.words & other.words)
        return shared >= COPIED * (less + more - shared)

    def _sum(self, words: set[str]) -> float:
        return sum(map(self._telling.weight, words))


@dataclass(frozen=True)
class _Said:
    """The words of a ticket: `problem` are those of subject and description, `subject` the telling
    words of the subject, `words` all telling words, `weight` the weight of `words`."""

    problem: list[str]
    subject: set[str]
    words: set[str]
    weight: float
