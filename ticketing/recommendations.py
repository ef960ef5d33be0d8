"""The answer to a query: the proposed tickets, and how likely one of them helps."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from ticketing.plurals import percent
from ticketing.reasons import UNEXPLAINED, Part, Reason, SharedTopic, quoted
from ticketing.tickets import Query, Ticket


@dataclass(frozen=True)
class Recommendation:
    """One proposed ticket with everything a person needs to check the proposal.

    `chance` is the probability of a YES, `chance_related` that of a REL, and `score` the expected
    rating from 1 to 5. Chance and score fall from rank to rank. `distance` is -log g. `answer` is
    the sentence of the ticket's solution that answers the query best, empty without a solution.
    `like` are near-copies of the ticket with lower ranks.
    """

    rank: int
    ticket: Ticket
    chance: float
    chance_related: float
    distance: float
    parts: tuple[Part, ...] = ()
    topics: tuple[SharedTopic, ...] = ()
    reason: Reason = UNEXPLAINED
    answer: str = ""
    like: tuple["Recommendation", ...] = ()

    @property
    def score(self) -> float:
        """The expected rating: 5 P(YES) + 3 P(REL) + 1 P(NO)."""
        return 1 + 4 * self.chance + 2 * self.chance_related


class Outlook(StrEnum):
    """What to expect of the tickets shown: `likely`: one of them likely helps; `possible`: one may
    help; `nothing`: none matches well."""

    LIKELY = "likely"
    POSSIBLE = "possible"
    NOTHING = "nothing"

    @property
    def heading(self) -> str:
        """What stands above the tickets; it is about all of them together."""
        return HEADINGS[self]

    @property
    def said_later(self) -> str:
        """What is said of an answer whose tickets do not stand below."""
        return self.heading.lower().replace("one of these", "one ticket")


HEADINGS = {
    Outlook.LIKELY: "One of these likely helps",
    Outlook.POSSIBLE: "One of these may help",
    Outlook.NOTHING: "Nothing matches well",
}


MOST_QUOTED = 3
"""How many numbers and codes of a query a heading quotes."""

FILTERED = "Widen the filters: together they leave no ticket to search."
"""The note of an answer if no ticket passes the filters."""

BACKWARDS = "No date is both since {} and before {}; swap them."
"""The note if the filter's dates exclude each other."""


class Order(StrEnum):
    """The order of the tickets shown: `best`: best match first; `newest`: the same tickets, newest
    first; `text`: best match first, ranked by the texts alone, without the tickets' age, so that
    other tickets may be shown."""

    BEST = "best"
    NEWEST = "newest"
    TEXT = "text"


@dataclass(frozen=True)
class Recommendations:
    """The answer to a query: the best tickets, best first, ties broken by ticket id.

    `chance` is the probability that one of them is a YES, and `outlook` follows from it. If nothing
    matches well, `note` says why (also for an empty knowledge base).
    """

    query: Query
    bundle_id: str
    items: tuple[Recommendation, ...] = ()
    outlook: Outlook = Outlook.NOTHING
    chance: float = 0.0
    note: str = ""
    searched: int = 0
    """Number of tickets that passed the filters."""
    meant: Mapping[str, str] = field(default_factory=dict)
    """Unknown words of the query as written, each with the known word that was probably meant."""
    typical: Mapping[str, float] = field(default_factory=dict)
    """Mean distance by channel of a random ticket, to compare `Recommendation.parts` with."""
    named: tuple[str, ...] = ()
    """The query's numbers and codes, if it has nothing else and the tickets were found by them.
    Chances then say nothing."""
    mentioned: tuple[str, ...] = ()
    """Ids of tickets that the query's text mentions, without those that are proposed."""
    outdated: bool = False
    """Whether some of the tickets were deleted during the search."""

    @property
    def by_id(self) -> bool:
        """Whether the query was only a ticket's id, and that ticket is the answer."""
        return len(self.items) == 1 and self.items[0].reason.by_id

    @property
    def knows_chance(self) -> bool:
        """Whether `chance` says anything: not if a ticket's id was typed, or if tickets were found
        by a code."""
        return not (self.named or any(item.reason.by_id for item in self.items))

    @property
    def shows_chances(self) -> bool:
        """Whether to show the chance that one of the tickets helps. Not if nothing matches well (a
        figure would suggest a match), nor if nothing is known about it."""
        return self.outlook != Outlook.NOTHING and self.knows_chance

    @property
    def promise(self) -> str:
        """The chance in words, as in "92 % that one solves this"; empty if it is not shown."""
        if not (self.items and self.shows_chances):
            return ""
        likely = f"{percent(self.chance)} that {'one' if len(self.items) > 1 else 'it'}"
        if any(item.ticket.solution for item in self.every):
            return f"{likely} solves this"
        return f"{likely} is about the same problem, without a solution yet"

    @property
    def timed(self) -> bool:
        """Whether the time between query and ticket counted."""
        return "age" in self.typical

    def shows_chance(self, item: Recommendation) -> bool:
        """Whether to show the chance of one ticket."""
        return self.outlook != Outlook.NOTHING and not (item.reason.by_id or item.reason.by_code)

    @property
    def filtered_out(self) -> bool:
        """Whether no ticket passed the filters."""
        return self.note == FILTERED or self.note.startswith(BACKWARDS.partition("{}")[0])

    @property
    def heading(self) -> str:
        """The heading above the tickets."""
        if self.filtered_out:
            return "No ticket passes your filters"
        if self.named:
            return f"Tickets that name {quoted(self.named[:MOST_QUOTED], 'or')}"
        return "The ticket with this id" if self.by_id else self.outlook.heading

    @property
    def every(self) -> list[Recommendation]:
        """All tickets by rank, including folded near-copies."""
        found = (one for item in self.items for one in (item, *item.like))
        return sorted(found, key=lambda one: one.rank)

    def ordered(self, order: Order) -> "Recommendations":
        """The same tickets with the same ranks, in another order: best match first, or newest first
        (tickets without a date last)."""
        items = sorted(self.items, key=lambda item: item.rank)
        if order == Order.NEWEST:
            items.sort(key=lambda item: item.ticket.created or datetime.min, reverse=True)
        return replace(self, items=tuple(items))
