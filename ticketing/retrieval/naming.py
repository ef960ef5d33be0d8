"""A query whose subject is the id of a ticket finds this ticket. A query may also mention the ids
of other tickets in its text."""

from collections.abc import Mapping

from ticketing.limits import ID
from ticketing.model.inference import Model
from ticketing.queries import EncodedQuery
from ticketing.retrieval.match import READ, Match
from ticketing.retrieval.parts import parts_of
from ticketing.stores.protocols import ReadTicket
from ticketing.text.literals import literals
from ticketing.tickets import Filters, Query

MOST_MENTIONS = 8
"""At most so many codes of a query are looked up as ids of tickets."""


def spelled(id: str) -> list[str]:
    """An id as it is typed, in capitals and in small letters: a phone begins with a capital."""
    return list(dict.fromkeys((id, id.upper(), id.lower())))


def names_in(query: Query) -> list[str]:
    """Possible ids in a query's subject."""
    typed = query.subject.strip()
    if not typed or len(typed) > ID.most or not typed.isprintable():
        return []
    return spelled(typed)


def mentions_in(query: Query) -> list[str]:
    """Possible ids of other tickets in a query's text: its first codes that contain letters and
    digits. Plain numbers are left out, as they may mean anything."""
    written = [code for code in literals(query.text[:READ]) if any(map(str.isalpha, code))]
    codes = [code for code in written if any(map(str.isdigit, code))][:MOST_MENTIONS]
    ids = dict.fromkeys(id for code in codes for id in spelled(code))
    return [id for id in ids if id not in (*names_in(query), query.ticket_id)]


def is_an_id(query: Query) -> bool:
    """Whether a query may consist only of a ticket's id."""
    return not query.description.strip() and bool(names_in(query))


def named_by(
    query: Query,
    encoded: EncodedQuery,
    filters: Filters,
    found: Mapping[str, ReadTicket],
    model: Model,
) -> Match | None:
    """A match for the first ticket of `found` whose id is the query's subject, if it passes the
    filters. Its chance is 1."""
    ticket = next((found[id][0] for id in names_in(query) if id in found), None)
    if ticket is None or ticket.id == query.ticket_id or not filters.admit(ticket):
        return None
    codes = model.encode_tickets([ticket])
    [parts] = parts_of(model, encoded, codes)
    distance = sum(part.distance for part in parts)
    return Match(1, ticket, codes[0], distance, chance=1.0, chance_related=0.0, by_id=True)
