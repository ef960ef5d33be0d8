"""Near-copies among the best tickets, which fold into the row of the best of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from ticketing.text import tokenize
from ticketing.text.telling import TellingWords
from ticketing.tickets import Query, Ticket

COPIED = 0.9
"""Least share of weight in common with a near-copy. Tickets written from one template reach .8 and
differ in the one word that tells ("Implement Ti.UI.Button", "Implement Ti.UI.Window")."""

LEAST_WORDS = 2
"""Telling words that make a subject one's own: "Error" is the subject of many things. So many words
of any kind make a whole text one's own."""


READ = 4000
"""Characters of a component that are read; what follows is logs."""

REMEMBERED = 2048
"""Components whose words are remembered: while a query is written, it finds the same tickets."""


@lru_cache(maxsize=REMEMBERED)
def _words(text: str) -> tuple[str, ...]:
    return tuple(tokenize(text))


def _words_in(line: str) -> int:
    """How many words a line has, joined by blanks."""
    return line.count(" ") + 1 if line else 0


@dataclass(frozen=True)
class Match:
    """A ticket at its rank, from 1, with its row of codes, uint8 [width].

    `by_id` says that its id was asked for, `by_code` are the numbers and codes of the query for
    which alone it is there, `moved` why it is not where its distance puts it, and
    `solved` is the query that it solved whose row this is, if it is not its own, or the very one
    that is asked. `tokens` are those of the ticket's text, as a store gives them, where they are
    known.
    """

    rank: int
    ticket: Ticket
    code: npt.NDArray[np.uint8]
    distance: float
    chance: float
    chance_related: float
    by_id: bool = False
    by_code: tuple[str, ...] = ()
    moved: str = ""
    solved: Query | None = None
    tokens: str = ""

    @property
    def text(self) -> str:
        """What is read of the ticket to explain it: READ characters of each component at most."""
        ticket = self.ticket
        return f"{ticket.subject[:READ]}\n{ticket.description[:READ]}\n{ticket.solution[:READ]}"

    def settles(self, query: Query) -> bool:
        """Whether it was judged to solve this very query."""
        return self.solved is not None and self.solved.id == query.id

    @property
    def subject_words(self) -> list[str]:
        """The tokens of what is read of the subject."""
        return self.words[: self._bounds[0]]

    @cached_property
    def problem_words(self) -> list[str]:
        """The tokens of what is read of subject and description."""
        return self.words[: self._bounds[1]]

    @cached_property
    def words(self) -> list[str]:
        """The tokens of `text`."""
        if self._whole:
            return self.tokens.split()
        ticket = self.ticket
        texts = ticket.subject, ticket.description, ticket.solution
        return [word for text in texts for word in _words(text[:READ])]

    @cached_property
    def _bounds(self) -> tuple[int, int]:
        """Where the tokens of the subject end, and those of the description."""
        if self._whole and self.tokens.count("\n") == 2:  # a line a component
            first, second, _ = map(_words_in, self.tokens.split("\n"))
            return first, first + second
        subject = len(_words(self.ticket.subject[:READ]))
        description, solution = self.ticket.description[:READ], self.ticket.solution[:READ]
        if len(description) < len(solution):
            return subject, subject + len(_words(description))
        return subject, len(self.words) - len(_words(solution))  # the shorter one is split

    @property
    def _whole(self) -> bool:
        """Whether all of the ticket is read, and its tokens are known."""
        ticket = self.ticket
        longest = max(len(ticket.subject), len(ticket.description), len(ticket.solution))
        return bool(self.tokens) and longest <= READ


def certain_of(query: Query, ranked: Iterable[Match]) -> Iterator[Match]:
    """The matches, the first one with a chance of 1 if it was judged to solve this very query."""
    for match in ranked:
        if match.rank == 1 and match.settles(query):
            yield replace(match, chance=1.0, chance_related=0.0)
        else:
            yield match


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
