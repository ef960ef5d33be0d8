"""A match: a ticket at its rank in an answer, with its tokens."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from ticketing.text import tokenize
from ticketing.tickets import Query, Ticket

READ = 4000
"""Characters read of each component; longer texts end with logs."""

REMEMBERED = 2048
"""Number of texts whose tokens are cached: while a query is being typed, the same tickets are found
again."""


@lru_cache(maxsize=REMEMBERED)
def _words(text: str) -> tuple[str, ...]:
    return tuple(tokenize(text))


def _words_in(line: str) -> int:
    """Number of words in a line of words joined by blanks."""
    return line.count(" ") + 1 if line else 0


@dataclass(frozen=True)
class Match:
    """A ticket at its rank (from 1), with its row of codes, uint8 [width].

    - `by_id`: the query is this ticket's id.
    - `by_code`: the query's numbers and codes in its text, if it was found by these alone.
    - `moved`: why its rank is not the one by distance, or "".
    - `solved`: the earlier query that it solved and whose codes this row holds, if that is nearer
      than the ticket itself; or the present query, if it was judged to solve it.
    - `tokens`: the tokens of its text as the store keeps them, if known.
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
        """The ticket's text as far as it is read for explanations: at most READ characters per
        component."""
        ticket = self.ticket
        return f"{ticket.subject[:READ]}\n{ticket.description[:READ]}\n{ticket.solution[:READ]}"

    def settles(self, query: Query) -> bool:
        """Whether this ticket was judged to solve this very query."""
        return self.solved is not None and self.solved.id == query.id

    @property
    def subject_words(self) -> list[str]:
        """Tokens of the subject, as far as it is read."""
        return self.words[: self._bounds[0]]

    @cached_property
    def problem_words(self) -> list[str]:
        """Tokens of subject and description, as far as they are read."""
        return self.words[: self._bounds[1]]

    @cached_property
    def words(self) -> list[str]:
        """Tokens of `text`."""
        if self._whole:
            return self.tokens.split()
        ticket = self.ticket
        texts = ticket.subject, ticket.description, ticket.solution
        return [word for text in texts for word in _words(text[:READ])]

    @cached_property
    def _bounds(self) -> tuple[int, int]:
        """Number of tokens of the subject, and of subject and description together."""
        if self._whole and self.tokens.count("\n") == 2:  # one line per component
            first, second, _ = map(_words_in, self.tokens.split("\n"))
            return first, first + second
        subject = len(_words(self.ticket.subject[:READ]))
        description, solution = self.ticket.description[:READ], self.ticket.solution[:READ]
        if len(description) < len(solution):
            return subject, subject + len(_words(description))
        return subject, len(self.words) - len(_words(solution))  # tokenize the shorter one

    @property
    def _whole(self) -> bool:
        """Whether the whole ticket is read and its tokens are known."""
        ticket = self.ticket
        longest = max(len(ticket.subject), len(ticket.description), len(ticket.solution))
        return bool(self.tokens) and longest <= READ


def certain_of(query: Query, ranked: Iterable[Match]) -> Iterator[Match]:
    """The matches; the first gets a chance of 1 if it was judged to solve this very query."""
    for match in ranked:
        if match.rank == 1 and match.settles(query):
            yield replace(match, chance=1.0, chance_related=0.0)
        else:
            yield match
