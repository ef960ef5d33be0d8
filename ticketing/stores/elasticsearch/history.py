"""The history in Elasticsearch."""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from datetime import date

from ticketing.files import Json
from ticketing.history import HistoryEvent
from ticketing.stores.elasticsearch.actions import creation, deletion_of
from ticketing.stores.elasticsearch.connection import CONFLICT, Connection, ConnectionPart
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.history import ASKED, KINDS, Event, History, from_json, is_past, to_json


class ElasticsearchHistory(ConnectionPart, History):
    """A record per event; records are never changed."""

    def add_events(self, events: Sequence[HistoryEvent]) -> int:
        """Append events in order, durably; returns how many were new."""
        actions = map(_creation, events)
        answers = self.connection.bulk(RECORDS, actions, refresh=False)  # many, and few are read
        return sum(answer["status"] != CONFLICT for answer in answers)

    def events(self, kind: type[Event], person: str = "") -> Iterator[Event]:
        """All events of a kind, optionally of one person, in the order in which they were added."""
        self.connection.refresh(RECORDS)  # `add_events` does not refresh
        # The index has one shard, so sequence numbers are the order of writes.
        pages = self.connection.pages(
            RECORDS, sort=[{"_seq_no": "asc"}], query=_whose(kind, person)
        )
        return (from_json(kind, hit["_source"]["event"]) for hit in pages)

    def last_events(
        self, kind: type[Event], limit: int, offset: int = 0, person: str = ""
    ) -> list[Event]:
        """Events of a kind, optionally of one person, newest first."""
        self.connection.refresh(RECORDS)
        query = _whose(kind, person)
        hits = self.connection.listed(RECORDS, [{"_seq_no": "desc"}], limit, offset, query=query)
        return [from_json(kind, hit["_source"]["event"]) for hit in hits]

    def count_events(self, kind: type[Event], person: str = "") -> int:
        """Number of events of a kind, optionally of one person."""
        self.connection.refresh(RECORDS)
        return self.connection.count(RECORDS, _whose(kind, person))


def _creation(event: HistoryEvent) -> Json:
    source = {"kind": KINDS[type(event)], "person": event.person, "event": to_json(event)}
    return creation(f"history:{hashlib.sha256(event.event_id.encode()).hexdigest()}", source)


def _whose(kind: type[Event], person: str) -> Json:
    """The query for events of a kind, optionally of one person."""
    must = [{"term": {"kind": KINDS[kind]}}]
    if person:
        must.append({"term": {"person": person}})
    return {"bool": {"filter": must}}


def asked_before(connection: Connection, before: date, keep: Collection[str]) -> Iterator[Json]:
    """The actions that delete askings and saved queries from before a day, see `is_past`. All are
    read, since a clock may have been fast."""
    for kind in ASKED:
        hits = connection.pages(
            RECORDS,
            sort=[{"_seq_no": "asc"}],
            query={"term": {"kind": KINDS[kind]}},
            seq_no_primary_term=True,
        )
        for hit in hits:
            if is_past(from_json(kind, hit["_source"]["event"]), before, keep):
                yield deletion_of(hit)
