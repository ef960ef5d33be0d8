"""What the codes of a ticket repeat of it, so that one query can filter and rank them.

A ticket's `coded` names the builds whose codes agree with it in text and in every copy.
Whoever changes a ticket empties `coded` first, then changes the copies, and sets it last.
"""

from collections.abc import Sequence

from ticketing.files import Json
from ticketing.stores.elasticsearch.connection import OF_BUNDLES, Connection
from ticketing.stores.elasticsearch.indices import TICKETS, metas_of
from ticketing.tickets import Filters, Ticket


def codes_of(bundle_id: str) -> str:
    """Name of the index of a bundle's codes."""
    return f"{OF_BUNDLES}{bundle_id}"


def where(filters: Filters) -> Json:
    """The query for what may be seen: tickets, or codes by their copies."""
    created = {
        bound: time.isoformat()
        for bound, time in (("gte", filters.created_since), ("lt", filters.created_before))
        if time
    }
    terms = {"product": filters.product, "status": filters.status}
    must: list[Json] = [{"term": {field: value}} for field, value in terms.items() if value]
    if created:
        must.append({"range": {"created": created}})
    if filters.groups is not None:
        everybodys = {"bool": {"must_not": {"exists": {"field": "groups"}}}}
        theirs = {"terms": {"groups": sorted(filters.groups)}}
        must.append({"bool": {"should": [everybodys, theirs]}})
    return {"bool": {"filter": must}}


def copy_of(ticket: Ticket) -> Json:
    """The fields that filters ask for."""
    return {
        "product": ticket.product,
        "status": ticket.status,
        "created": ticket.created and ticket.created.isoformat(),
        "month": ticket.created and ticket.created.isoformat()[:7],
        "groups": sorted(ticket.groups),
    }


def copy_filters(connection: Connection, tickets: Sequence[Ticket]) -> None:
    """Let the codes of these tickets under every bundle be filtered as the tickets are."""
    bundles = _bundles(connection) if tickets else []
    connection.bulk(
        {
            "_op_type": "update",
            "_index": connection.alias(codes_of(bundle_id)),
            "_id": ticket.id,
            "doc": copy_of(ticket),
            "retry_on_conflict": 3,
        }
        for bundle_id in bundles
        for ticket in tickets
    )


def remove_codes(connection: Connection, ids: Sequence[str]) -> None:
    """Delete the codes of those of the tickets that are gone, under every bundle."""
    for bundle_id in _bundles(connection) if ids else []:
        name = codes_of(bundle_id)
        codes = connection.get(name, ids, ["id"])
        # Tickets are read after codes: a ticket that was put again in between is seen here, and
        # codes that are written from now on no longer are as they were `seen`.
        left = connection.get(TICKETS, codes, ["id"])
        connection.bulk(
            connection.deletion(name, doc) for id, doc in codes.items() if id not in left
        )


def _bundles(connection: Connection) -> list[str]:
    return [meta["bundle_id"] for meta in metas_of(connection, codes_of("*"))]
