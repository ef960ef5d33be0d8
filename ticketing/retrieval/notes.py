"""What is said where nothing matches well."""

from collections.abc import Sequence

from ticketing.queries import EncodedQuery
from ticketing.recommendations import Outlook, Recommendation
from ticketing.tickets import Filters

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


def no_surer(outlook: Outlook, telling: int) -> Outlook:
    """The outlook of a query of so many telling words: without one nothing can be told to match,
    and one alone makes nothing likely, however near the nearest ticket is."""
    if not telling:
        return Outlook.NOTHING
    return Outlook.POSSIBLE if telling == 1 and outlook == Outlook.LIKELY else outlook


def note(
    query: EncodedQuery, shared: bool, items: Sequence[Recommendation], filters: Filters
) -> str:
    """Why no ticket is near to a query; `shared` says whether one has any of its words."""
    if not query.present.any():
        return WORDLESS
    if not items:
        return EMPTY if filters == Filters() else FILTERED
    return WEAK if shared else UNKNOWN
