"""Copies of a ticket's fields in the documents of its codes, so that one query can filter and rank
them.

A ticket's `coded` lists the builds whose codes agree with it in text and in all copied fields. A
change of a ticket first empties `coded`, then changes the copies, and sets `coded` last.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence

from ticketing.batches import batches
from ticketing.errors import StoreAway
from ticketing.files import Json
from ticketing.stores.elasticsearch.actions import change, deletion_of, replacement
from ticketing.stores.elasticsearch.connection import (
    AT_ONCE,
    CONFLICT,
    OF_BUNDLES,
    Connection,
)
from ticketing.stores.elasticsearch.documents import (
    FIELDS,
    OWN,
    columns,
    copied,
    document_of,
    own_of,
    ticket_of,
)
from ticketing.stores.elasticsearch.indices import TICKETS, metas_of
from ticketing.tickets import Filters, Ticket

ATTEMPTS = 20


def codes_of(bundle_id: str) -> str:
    """The name of the index of a bundle's codes."""
    return f"{OF_BUNDLES}{bundle_id}"


def new_build(bundle_id: str) -> str:
    """A new, unique name for a build of a bundle's codes."""
    return f"{bundle_id}.{uuid.uuid4().hex}"


def coded_by(bundle_id: str) -> Json:
    """The query for tickets that refer to any build of a bundle's codes."""
    return {"prefix": {"coded": f"{bundle_id}."}}


def where(filters: Filters) -> Json:
    """The query for tickets, or codes, that pass the filters."""
    created = {
        bound: time.isoformat()
        for bound, time in (("gte", filters.created_since), ("lt", filters.created_before))
        if time
    }
    terms = {"product": filters.product, "status": filters.status}
    must: list[Json] = [{"term": {field: value}} for field, value in terms.items() if value]
    if created:
        must.append({"range": {"created": created}})
    if filters.has_solution:
        must.append({"term": {"has_solution": True}})
    if filters.groups is not None:
        everybodys = {"bool": {"must_not": {"exists": {"field": "groups"}}}}
        theirs = {"terms": {"groups": sorted(filters.groups)}}
        must.append({"bool": {"should": [everybodys, theirs]}})
    return {"bool": {"filter": must}}


def between(after: str, until: str) -> Json:
    """The query for ids after `after`, up to `until` unless that is empty."""
    return {"range": {"id": {"gt": after} | ({"lte": until} if until else {})}}


def write_tickets(
    connection: Connection, tickets: Mapping[str, Ticket], known: Mapping[str, Json]
) -> set[str]:
    """Write tickets that have not changed since their documents in `known` were read, and the
    copies in their codes; returns the ids of those written.

    A process that dies before `coded` is set leaves tickets that will be encoded again, never wrong
    copies.
    """
    answers = connection.bulk(
        TICKETS,
        (replacement(known.get(id), id, document_of(ticket)) for id, ticket in tickets.items()),
    )
    written = {answer["_id"]: answer for answer in answers if answer["status"] != CONFLICT}
    replaced = {id: answer for id, answer in written.items() if id in known}
    copy_filters(connection, replaced)
    before = {id: known[id]["_source"] for id in replaced}
    marks = [
        change(answer, id, {"coded": before[id]["coded"]})
        for id, answer in replaced.items()
        if before[id]["version"] == tickets[id].version and before[id]["coded"]
    ]
    connection.bulk(TICKETS, marks, refresh=False)  # searches for `coded` refresh first
    return set(written)


def copy_filters(connection: Connection, ids: Iterable[str]) -> None:
    """Update the filter fields in the codes of these tickets, under every bundle."""
    ids = list(ids)
    for bundle_id in _bundles(connection) if ids else []:
        for some in batches(ids, AT_ONCE):
            _copy(connection, codes_of(bundle_id), some)


def _copy(connection: Connection, name: str, ids: Sequence[str]) -> None:
    """Rewrite the existing codes of the tickets, each only if it has not changed since it was read.
    Doc values cannot be updated in part."""
    left = ids
    for _ in range(ATTEMPTS):
        connection.refresh(name)
        found = connection.search(
            name,
            query={"ids": {"values": list(left)}},
            size=len(left),
            seq_no_primary_term=True,
            **columns(*OWN),
        )
        rows = {hit["fields"]["id"][0]: hit for hit in found["hits"]["hits"]} if found else {}
        # Tickets are read after codes: who changes a ticket later also changes these codes later.
        tickets = connection.get(TICKETS, rows, FIELDS)
        copies = {id: copied(document_of(ticket_of(doc))) for id, doc in tickets.items()}
        answers = connection.bulk(
            name,
            (replacement(rows[id], id, own_of(rows[id]["fields"]) | copies[id]) for id in copies),
        )
        left = [answer["_id"] for answer in answers if answer["status"] == CONFLICT]
        if not left:
            return
    raise StoreAway(f"Others keep changing the ticket {min(left)}; try again.")


def remove_codes(connection: Connection, ids: Iterable[str]) -> set[str]:
    """Delete the codes of those of the tickets that no longer exist, under every bundle; returns
    the tickets that had some."""
    ids, had = list(ids), set[str]()
    for bundle_id in _bundles(connection) if ids else []:
        had |= _remove(connection, codes_of(bundle_id), ids)
    return had


def _remove(connection: Connection, name: str, ids: Sequence[str]) -> set[str]:
    """Delete the codes of deleted tickets, each only if it has not changed since it was read. If
    one has changed, or its index was copied, all are read again."""
    had: set[str] = set()
    for _ in range(ATTEMPTS):
        codes = connection.get(name, ids, ["id"])
        # Tickets are read after codes: a ticket that was put again in between is seen here, and
        # codes that are written from now on are no longer as they were read.
        left = connection.get(TICKETS, codes, ["id"])
        gone = {id: doc for id, doc in codes.items() if id not in left}
        answers = connection.bulk(name, map(deletion_of, gone.values()))
        had |= gone.keys()
        if all(answer["status"] != CONFLICT for answer in answers):
            return had
    raise StoreAway(f"Others keep writing codes of the ticket {min(ids)}; try again.")


def _bundles(connection: Connection) -> list[str]:
    return [meta["bundle_id"] for meta in metas_of(connection, codes_of("*"))]
