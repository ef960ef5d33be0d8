"""The history: its interface, and the JSON form of its events in all stores."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from functools import cache
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter

from ticketing.history import Asking, AuditEntry, FormerTicket, HistoryEvent, SavedQuery, TopicName
from ticketing.stores.checks import require_text

Event = TypeVar("Event", bound=HistoryEvent)

KINDS: dict[type[Any], str] = {
    Asking: "asking",
    SavedQuery: "saved query",
    TopicName: "topic name",
    FormerTicket: "former ticket",
    AuditEntry: "audit entry",
}
"""Names of the kinds of events in a store."""

ASKED: tuple[type[Asking | SavedQuery], ...] = (Asking, SavedQuery)
"""Kinds of events that contain text typed by people."""


class History(Protocol):
    """Past queries and answers, saved queries, names of topics, deleted tickets of groups, and the
    audit."""

    def add_events(self, events: Sequence[HistoryEvent]) -> int:
        """Append events permanently; an event with a known id is skipped. Returns how many were
        new.

        Invalid events are refused before any is added, as in `put_tickets`. Safe to repeat after a
        failure.
        """

    def events(self, kind: type[Event], person: str = "") -> Iterator[Event]:
        """All events of a kind, optionally of one person, in the order in which they were added."""

    def last_events(
        self, kind: type[Event], limit: int, offset: int = 0, person: str = ""
    ) -> list[Event]:
        """Events of a kind, optionally of one person, newest first; at most `limit`, after the
        first `offset`."""

    def count_events(self, kind: type[Event], person: str = "") -> int:
        """Number of events of a kind, optionally of one person."""


def is_past(event: Asking | SavedQuery, before: date, keep: Collection[str]) -> bool:
    """Whether an event is deleted together with queries asked before a day. Saved queries in `keep`
    stay."""
    saved = isinstance(event, SavedQuery) and event.query.id in keep
    return event.time.date() < before and not saved


def to_json(event: HistoryEvent) -> str:
    """An event as JSON. Raises InputError for an unpaired surrogate in any text."""
    adapter = _adapters()[type(event)]
    require_text(_texts(adapter.dump_python(event)))
    return adapter.dump_json(event).decode()


def from_json(kind: type[Event], text: str) -> Event:
    """Read an event that `to_json` wrote."""
    event: Event = _adapters()[kind].validate_json(text)
    return event


@cache
def _adapters() -> dict[type[Any], TypeAdapter[Any]]:
    return {kind: TypeAdapter(kind) for kind in KINDS}


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
