"""The history in Elasticsearch."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date

from ticketing.files import Json
from ticketing.history import HistoryEvent
from ticketing.stores.elasticsearch.actions import creation, deletion_of
from ticketing.stores.elasticsearch.connection import Connection, ConnectionPart
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.elasticsearch.records import append, in_order, key_of, of_kind
from ticketing.stores.history import ASKED, KINDS, Event, History, from_json, is_past, to_json


class ElasticsearchHistory(ConnectionPart, History):
    """A record per event; records are never changed."""

    def add_events(self, events: Sequence[HistoryEvent]) -> int:
        added = map(_creation, events)
        return append(self.connection, added, refresh=False)  # many, and few are read

    def events(self, kind: type[Event], person: str = "") -> Iterator[Event]:
        self.connection.refresh(RECORDS)  # `add_events` does not refresh
        hits = in_order(self.connection, KINDS[kind], *_of(person))
        return (from_json(kind, hit["_source"]["event"]) for hit in hits)

    def last_events(
        self, kind: type[Event], limit: int, offset: int = 0, person: str = ""
    ) -> list[Event]:
        self.connection.refresh(RECORDS)
        query = of_kind(KINDS[kind], *_of(person))
        hits = self.connection.listed(RECORDS, [{"_seq_no": "desc"}], limit, offset, query=query)
        return [from_json(kind, hit["_source"]["event"]) for hit in hits]

    def count_events(self, kind: type[Event], person: str = "") -> int:
        self.connection.refresh(RECORDS)
        return self.connection.count(RECORDS, of_kind(KINDS[kind], *_of(person)))


def _creation(event: HistoryEvent) -> Json:
    source = {"kind": KINDS[type(event)], "person": event.person, "event": to_json(event)}
    return creation(key_of("history", event.event_id), source)


def _of(person: str) -> list[Json]:
    return [{"term": {"person": person}}] if person else []


def asked_before(connection: Connection, before: date, keep: Collection[str]) -> Iterator[Json]:
    """The actions that delete askings and saved queries from before a day, see `is_past`. All are
    read, since a clock may have been fast."""
    for kind in ASKED:
        for hit in in_order(connection, KINDS[kind], seq_no_primary_term=True):
            if is_past(from_json(kind, hit["_source"]["event"]), before, keep):
                yield deletion_of(hit)
