"""The best possible outlook for a query, and notes that say why nothing matches."""

from collections.abc import Sequence
from dataclasses import replace

from ticketing.encoders.terms import terms_of
from ticketing.model.calibration import SHOWN
from ticketing.model.wording import Wording
from ticketing.queries import EncodedQuery
from ticketing.reasons import quoted
from ticketing.recommendations import BACKWARDS, FILTERED, MOST_QUOTED, Outlook
from ticketing.retrieval.folding import Row
from ticketing.retrieval.ranking import Nearest
from ticketing.retrieval.wording import asked_terms
from ticketing.text.telling import TellingWords
from ticketing.tickets import Filters, Query

EMPTY = "The knowledge base has no ticket to search; import some first."
HIDDEN = "There is no ticket here that you may see."
NOT_COMPARED = "No other ticket here can be compared with this query."
WORDLESS = "The query holds no word to compare; describe the problem in words."
UNKNOWN = (
    "None of the query’s words occurs in these tickets, which were chosen by meaning and spelling "
    "alone; try other words."
)
NEAREST = "No past ticket is near enough to be trusted; these are only the nearest."
WEAK = f"{NEAREST} More words about the problem may find others."
BRIEF = (
    f"{NEAREST} A subject alone often says too little to tell: describe the problem in a sentence"
    " or two."
)
UNNAMED = "No ticket here names {}; describe the problem in words, too."
NAMED = "Some tickets name {}: ask for that alone to see them."
VAGUE = (
    "None of the query’s words tells one ticket from another; name the part that fails, or what it "
    "does."
)


def at_best(query: Query, encoded: EncodedQuery, telling: TellingWords, found: Wording) -> Outlook:
    """The best outlook that the query's words allow, however near the nearest ticket is.

    It is NOTHING if neither the vocabulary nor a ticket found has any word of the query. A query
    that is not a ticket also needs telling words: with one, POSSIBLE is the best; without any,
    NOTHING, unless one of the first tickets has all of several everyday words.
    """
    if not (encoded.known or found.held[:SHOWN].any()):
        return Outlook.NOTHING
    told = len(telling.of(encoded.words))
    if query.ticket_id or told > 1:
        return Outlook.LIKELY
    together = told or _held_together(encoded, telling, found)
    return Outlook.POSSIBLE if together else Outlook.NOTHING


def _held_together(encoded: EncodedQuery, telling: TellingWords, found: Wording) -> bool:
    """Whether the query has at least two words that count beside everyday ones
    (`TellingWords.beside`) and one of the first tickets has all of them."""
    terms = terms_of(telling.beside(encoded.words).of(encoded.words))
    columns = [place for place, term in enumerate(asked_terms(encoded)) if term in terms]
    return len(columns) > 1 and bool(found.held[:SHOWN, columns].all(1).any())


def unnamed(codes: Sequence[str]) -> str:
    """The note that no ticket contains the query's numbers and codes, when these are all of the
    query."""
    return UNNAMED.format(quoted(codes[:MOST_QUOTED], "or"))


def named(codes: Sequence[str]) -> str:
    """The note that some tickets contain the query's numbers and codes, although none is near to
    it."""
    return NAMED.format(quoted(codes[:MOST_QUOTED], "or"))


def note(
    query: Query, found: Nearest, telling: TellingWords, rows: Sequence[Row], filters: Filters
) -> str:
    """Why no ticket is near to a query."""
    if not found.query.present.any():
        return WORDLESS
    if not rows:
        return NOT_COMPARED if found.searched else nothing_to_search(filters)
    if not _shares_words(found, rows):
        return UNKNOWN
    if not telling.of(found.query.words):
        return VAGUE
    return WEAK if query.ticket_id or query.description.strip() else BRIEF


def _shares_words(found: Nearest, rows: Sequence[Row]) -> bool:
    """Whether a ticket has any of the query's words, by its codes or its text. Codes keep only the
    most telling words, and only the beginning of a long text is read."""
    asked = asked_terms(found.query)
    return bool(found.evidence.wording.held[:SHOWN].any()) or any(
        not terms_of(row.best.words).isdisjoint(asked) for row in rows
    )


def nothing_to_search(filters: Filters) -> str:
    """Why there is no ticket to search."""
    if replace(filters, groups=None) != Filters():
        since, before = filters.created_since, filters.created_before
        if since and before and since >= before:
            return BACKWARDS.format(*(f"{time:%Y-%m-%d %H:%M}" for time in (since, before)))
        return FILTERED
    return EMPTY if filters.groups is None else HIDDEN
