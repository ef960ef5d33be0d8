"""A ticket at its rank in an answer: what is read of its text, and why it is there."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from ticketing.text import tokenize
from ticketing.tickets import Query, Ticket

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
