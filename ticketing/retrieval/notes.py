"""How much a query may promise, whatever is found, and what is said where that is nothing."""

from collections.abc import Sequence

from ticketing.model.calibration import SHOWN
from ticketing.model.wording import Wording
from ticketing.queries import EncodedQuery
from ticketing.recommendations import Outlook, Recommendation
from ticketing.tickets import Filters, Query

EMPTY = "The knowledge base has no ticket to search; import some first."
FILTERED = "No ticket passes these filters; widen them."
WORDLESS = "The query holds no word to compare; describe the problem in words."
UNKNOWN = (
    "None of the query's words occurs in these tickets, which were chosen by meaning and spelling "
    "alone; try other words."
)
WEAK = (
    "No past ticket is near enough to be trusted; these are only the nearest. More words about the "
    "problem may find others."
)
VAGUE = (
    "None of the query's words tells one ticket from another; name the part that fails, or what it "
    "does."
)


def at_best(query: Query, encoded: EncodedQuery, telling: int, found: Wording) -> Outlook:
    """The most that may be expected, however near the nearest ticket is.

    Nothing of a query none of whose words the archive or a ticket found has. One that is not a
    ticket itself has so many `telling` words: without one nothing can be told to match, and one
    alone makes nothing likely.
    """
    if not (encoded.known or found.held[:SHOWN].any()):
        return Outlook.NOTHING
    if query.ticket_id or telling > 1:
        return Outlook.LIKELY
    return Outlook.POSSIBLE if telling else Outlook.NOTHING


def note(
    query: EncodedQuery,
    telling: int,
    shared: bool,
    items: Sequence[Recommendation],
    filters: Filters,
) -> str:
    """Why no ticket is near to a query of so many telling words; `shared` says whether one has any
    of its words."""
    if not query.present.any():
        return WORDLESS
    if not items:
        return EMPTY if filters == Filters() else FILTERED
    if not shared:
        return UNKNOWN
    return WEAK if telling else VAGUE
