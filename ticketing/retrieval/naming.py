"""The ticket that a query names: its subject is the ticket's id."""

from collections.abc import Mapping

from ticketing.limits import ID
from ticketing.model.inference import Model
from ticketing.queries import EncodedQuery
from ticketing.retrieval.match import Match
from ticketing.retrieval.parts import parts_of
from ticketing.stores.protocols import ReadTicket
from ticketing.tickets import Filters, Query


def names_in(query: Query) -> list[str]:
    """The ids that a query's subject may be: as typed, and in capitals."""
    typed = query.subject.strip()
    if not typed or len(typed) > ID.most or not typed.isprintable():
        return []
    return [typed, typed.upper()]


def is_an_id(query: Query) -> bool:
    """Whether a query may be nothing but the id of a ticket."""
    return not query.description.strip() and bool(names_in(query))


def named_by(
    query: Query,
    encoded: EncodedQuery,
    filters: Filters,
    found: Mapping[str, ReadTicket],
    model: Model,
) -> Match | None:
    """The first of the tickets `found` that the query names, if it is to be seen: that it is meant
    is certain."""
    ticket = next((found[id][0] for id in names_in(query) if id in found), None)
    if ticket is None or ticket.id == query.ticket_id or not filters.admit(ticket):
        return None
    codes = model.encode_tickets([ticket])
    [parts] = parts_of(model, encoded, codes)
    distance = sum(part.distance for part in parts)
    return Match(1, ticket, codes[0], distance, chance=1.0, chance_related=0.0, by_id=True)
