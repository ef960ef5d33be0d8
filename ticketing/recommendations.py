"""What a query is answered with: tickets proposed, and what is to be expected of them."""

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

    `chance` is that of a YES, `chance_related` that of a REL, and `score` the rating to be
    expected, from 1 to 5: chance and score fall from rank to rank. `distance` is -log g.
    `answer` is the sentence of the ticket's solution that answers the query best, empty
    without a solution. `like` are tickets that say nearly the same and were ranked lower,
    each with its own rank.
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
    """What may be expected of the tickets shown: that one is a YES, that one may be, or nothing."""

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
"""Numbers and codes of a query that are quoted."""

FILTERED = "Widen the filters: together they leave no ticket to search."
"""The note of an answer whose filters let no ticket pass."""

BACKWARDS = "No date is both since {} and before {}; swap them."
"""The same, where none ever could."""


class Order(StrEnum):
    """In which order tickets are shown: best match first, or the same ones with the newest first;
    by TEXT their time does not count, so other ones may be the best."""

    BEST = "best"
    NEWEST = "newest"
    TEXT = "text"


@dataclass(frozen=True)
class Recommendations:
    """The answer to a query: the best tickets, best first, ties broken by ticket id.

    `chance` is that of a YES among them, and `outlook` what follows from it; `note` says in
    words why there is nothing (also for an empty knowledge base).
    """

    query: Query
    bundle_id: str
    items: tuple[Recommendation, ...] = ()
    outlook: Outlook = Outlook.NOTHING
    chance: float = 0.0
    note: str = ""
    searched: int = 0
    """Number of tickets the best were sought among (after filters)."""
    meant: Mapping[str, str] = field(default_factory=dict)
    """Unknown words of the query as they were written, and the known word that each is most likely
    a slip of."""
    typical: Mapping[str, float] = field(default_factory=dict)
    """Distance by channel of a ticket taken at random: what `Recommendation.parts` compare with."""
    named: tuple[str, ...] = ()
    """The numbers and codes that are all that the query tells, where the tickets are found by them:
    what chances are then known of a ticket says nothing."""
    mentioned: tuple[str, ...] = ()
    """Ids of tickets that the query's text mentions and that are not among those proposed."""
    outdated: bool = False
    """Whether tickets that belong here went while they were compared."""

    @property
    def by_id(self) -> bool:
        """Whether it is the ticket alone whose id was all that was asked."""
        return len(self.items) == 1 and self.items[0].reason.by_id

    @property
    def shows_chances(self) -> bool:
        """Whether to say how likely it is that one of the tickets helps: where nothing matches well
        figures would look like good ones, one whose id was typed was asked for, and of those found
        by a code nothing is known."""
        asked_for = any(item.reason.by_id for item in self.items)
        return self.outlook != Outlook.NOTHING and not (asked_for or self.named)

    @property
    def promise(self) -> str:
        """What the chance is the chance of, as in "92 % that one solves this"; nothing where it is
        not to be said."""
        if not (self.items and self.shows_chances):
            return ""
        likely = f"{percent(self.chance)} that {'one' if len(self.items) > 1 else 'it'}"
        if any(item.ticket.solution for item in self.every):
            return f"{likely} solves this"
        return f"{likely} is about the same problem, without a solution yet"

    @property
    def timed(self) -> bool:
        """Whether the time between query and ticket counts in it."""
        return "age" in self.typical

    def shows_chance(self, item: Recommendation) -> bool:
        """The same of one ticket."""
        return self.outlook != Outlook.NOTHING and not (item.reason.by_id or item.reason.by_code)

    @property
    def filtered_out(self) -> bool:
        """Whether the filters let no ticket pass."""
        return self.note == FILTERED or self.note.startswith(BACKWARDS.partition("{}")[0])

    @property
    def heading(self) -> str:
        """What stands above the tickets."""
        if self.filtered_out:
            return "No ticket passes your filters"
        if self.named:
            return f"Tickets that name {quoted(self.named[:MOST_QUOTED], 'or')}"
        return "The ticket with this id" if self.by_id else self.outlook.heading

    @property
    def every(self) -> list[Recommendation]:
        """All tickets by rank, those that are folded under others too."""
        found = (one for item in self.items for one in (item, *item.like))
        return sorted(found, key=lambda one: one.rank)

    def ordered(self, order: Order) -> "Recommendations":
        """The same tickets, each with its rank by match: best first, or the last created first and
        those without a date last."""
        items = sorted(self.items, key=lambda item: item.rank)
        if order == Order.NEWEST:
            items.sort(key=lambda item: item.ticket.created or datetime.min, reverse=True)
        return replace(self, items=tuple(items))
