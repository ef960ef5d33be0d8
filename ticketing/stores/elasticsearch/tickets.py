"""Tickets and their words in Elasticsearch."""

import math
import time
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from ticketing.errors import StoreAway
from ticketing.stores.checks import in_place_of, latest_by_id
from ticketing.stores.elasticsearch.actions import deletion
from ticketing.stores.elasticsearch.connection import Connection, ConnectionPart
from ticketing.stores.elasticsearch.copies import (
    copy_filters,
    remove_codes,
    where,
    write_tickets,
)
from ticketing.stores.elasticsearch.documents import FIELDS, ticket_of
from ticketing.stores.elasticsearch.indices import KEYWORD, TICKETS
from ticketing.stores.protocols import PutCounts, ReadTicket, Tickets
from ticketing.text import tokenize
from ticketing.tickets import Filters, Ticket
from ticketing.times import plausible_until

NARROW = ("id", "product", "status", "created", "groups")
"""The fields used by filters, except the solution."""

ATTEMPTS = 20
"""Maximum number of attempts to write while others change the same tickets."""

FIRST_WORDS = 32
"""Number of a subject's first words that a ticket must contain before subjects are compared."""

MOST_COMPARED = 32_766
"""Maximum number of bytes of a subject that a server compares."""

NEWEST_SECONDS, MOST_NEWEST = 1.0, 100
"""How long, and for how many filters, the newest ticket's date is cached."""

MOST_VALUES = 10_000
"""Maximum number of distinct values of a field."""


class ElasticsearchTickets(ConnectionPart, Tickets):
    """A document per ticket, with its tokens."""

    def __init__(self, connection: Connection):
        super().__init__(connection)
        self._newest: dict[Filters, tuple[float, datetime | None]] = {}

    def put_tickets(
        self,
        tickets: Sequence[Ticket],
        keep: Collection[str] = (),
        theirs: Filters = Filters(),
    ) -> PutCounts:
        left = latest_by_id(tickets)
        added = changed = unchanged = 0
        for _ in range(ATTEMPTS):
            known = self.connection.get(TICKETS, left, [*FIELDS, "version", "coded"])
            there = {id: ticket_of(document) for id, document in known.items()}
            left = in_place_of(there, left, keep, theirs)
            stale = {id: ticket for id, ticket in left.items() if there.get(id) != ticket}
            same = {id: known[id]["_source"] for id in left if id not in stale}
            # A writer of tickets not marked as coded may have failed before it updated the copies.
            copy_filters(self.connection, [id for id in same if not same[id]["coded"]])
            written = write_tickets(self.connection, stale, known)
            self._newest.clear()
            unchanged += len(same)
            added += len(written - known.keys())
            changed += len(written & known.keys())
            left = {id: ticket for id, ticket in stale.items() if id not in written}
            if not left:
                return PutCounts(added, changed, unchanged)
        raise StoreAway(f"Others keep changing the ticket {min(left)}; try again.")

    def delete_tickets(self, ids: Sequence[str]) -> int:
        """Delete tickets, then their codes. Returns the number of tickets found before: the answer
        to a repeated request would say that they are gone. A missing ticket counts if an
        interrupted deletion had left its codes."""
        distinct = [id for id in dict.fromkeys(ids) if id]
        found = self.connection.get(TICKETS, distinct, ["id"])
        self.connection.bulk(TICKETS, map(deletion, distinct))
        self._newest.clear()
        return len(found.keys() | remove_codes(self.connection, distinct))

    def get_tickets(self, ids: Sequence[str]) -> dict[str, Ticket]:
        found = self.connection.get(TICKETS, ids, FIELDS)
        return {id: ticket_of(doc) for id, doc in found.items()}

    def read_tickets(self, ids: Sequence[str]) -> dict[str, ReadTicket]:
        """See DatedTickets: the tokens are read from the document."""
        found = self.connection.get(TICKETS, ids, [*FIELDS, "tokens"])
        return {id: (ticket_of(doc), doc["_source"]["tokens"]) for id, doc in found.items()}

    def iter_tickets(self, filters: Filters = Filters()) -> Iterator[Ticket]:
        return map(
            ticket_of,
            self.connection.pages(
                TICKETS, sort=[{"id": "asc"}], query=where(filters), source_includes=FIELDS
            ),
        )

    def count_tickets(self, filters: Filters = Filters()) -> int:
        return self.connection.count(TICKETS, where(filters))

    def newest(self, filters: Filters = Filters()) -> datetime | None:
        """Creation date of the newest matching ticket, up to NEWEST_SECONDS old if others change
        tickets, since each query needs it."""
        looked, newest = self._newest.get(filters, (-math.inf, None))
        now = time.monotonic()
        if now - looked < NEWEST_SECONDS:
            return newest
        if len(self._newest) >= MOST_NEWEST:
            self._newest.clear()
        newest = self._look_for_newest(filters)
        self._newest[filters] = now, newest
        return newest

    def _look_for_newest(self, filters: Filters) -> datetime | None:
        plausible = {"range": {"created": {"lt": plausible_until().isoformat()}}}
        dated = {"bool": {"filter": [where(filters), plausible]}}
        answer = self.connection.search(
            TICKETS,
            query=dated,
            sort=[{"created": "desc"}],
            size=1,
            source_includes=["created"],
            track_total_hits=False,
        )
        times = [hit["_source"]["created"] for hit in answer["hits"]["hits"]]
        return datetime.fromisoformat(times[0]) if times else None

    def facets(self, filters: Filters = Filters()) -> dict[str, list[str]]:
        fields = ("product", "status")
        answer = self.connection.search(
            TICKETS,
            query=where(filters),
            size=0,
            aggs={field: {"terms": {"field": field, "size": MOST_VALUES}} for field in fields},
        )
        found = answer["aggregations"]
        return {
            field: sorted(bucket["key"] for bucket in found[field]["buckets"] if bucket["key"])
            for field in fields
        }

    def matching_ids(self, ids: Sequence[str], filters: Filters = Filters()) -> set[str]:
        """Those of `ids` whose tickets exist and match, read in real time."""
        fields = [*NARROW, "solution"] if filters.has_solution else NARROW
        found = self.connection.get(TICKETS, ids, fields)
        return {id for id, doc in found.items() if filters.admit(ticket_of(doc))}

    def has_subject(self, subject: str, filters: Filters = Filters()) -> bool:
        """Whether a matching ticket has this subject. Compares the tickets that contain its first
        words, or all if it has no words; the server compares unless the subject is too long."""
        words = tokenize(subject)[:FIRST_WORDS]
        holds = [where(filters), *({"term": {"tokens": word}} for word in dict.fromkeys(words))]
        if len(subject.encode(errors="surrogatepass")) > MOST_COMPARED:
            hits = self.connection.pages(
                TICKETS,
                sort=[{"id": "asc"}],
                query={"bool": {"filter": holds}},
                source_includes=["subject"],
            )
            return any(hit["_source"]["subject"] == subject for hit in hits)
        answer = self.connection.search(
            TICKETS,
            query={"bool": {"filter": [*holds, {"term": {"subject": subject}}]}},
            runtime_mappings={"subject": KEYWORD},  # the field is not indexed, only stored
            size=1,
            source=False,
            track_total_hits=False,
        )
        return bool(answer["hits"]["hits"])

    def known_words(self, words: Sequence[str], filters: Filters = Filters()) -> set[str]:
        distinct = list(dict.fromkeys(words))
        if not distinct:
            return set()
        holds = {str(i): {"term": {"tokens": word}} for i, word in enumerate(distinct)}
        answer = self.connection.search(
            TICKETS,
            query=where(filters),
            size=0,
            track_total_hits=False,
            aggs={"words": {"filters": {"filters": holds}}},
        )
        buckets = answer["aggregations"]["words"]["buckets"]
        return {distinct[int(i)] for i, found in buckets.items() if found["doc_count"]}

    def naming(
        self, keys: Collection[str], filters: Filters = Filters(), limit: int = 10
    ) -> dict[str, list[str]]:
        """See SearchedTickets: all matching tickets are examined. Each contained key scores 1."""
        asked = set(keys)
        if not asked:
            return {}
        each = [{"constant_score": {"filter": {"term": {"literals": key}}}} for key in asked]
        of_any = {"should": each, "minimum_should_match": 1}
        newest = {"created": {"order": "desc", "missing": "_last"}}
        answer = self.connection.search(
            TICKETS,
            query={"bool": {"filter": [where(filters)], **of_any}},
            sort=[{"_score": "desc"}, newest, {"id": "asc"}],
            size=limit,
            source_includes=["id", "literals"],
            track_total_hits=False,
        )
        sources = [hit["_source"] for hit in answer["hits"]["hits"]]
        return {source["id"]: sorted(asked.intersection(source["literals"])) for source in sources}
