"""What every store does with the history, and the one form in which each keeps its events."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from functools import cache
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter

from ticketing.history import (
    Asking,
    AuditEntry,
    FormerTicket,
    HistoryEvent,
    SavedQuery,
    TopicName,
)
from ticketing.stores.checks import require_text

Event = TypeVar("Event", bound=HistoryEvent)

KINDS: dict[type[Any], str] = {
    Asking: "asking",
    SavedQuery: "saved query",
    TopicName: "topic name",
    FormerTicket: "former ticket",
    AuditEntry: "audit entry",
}
"""What each kind of event is called in a store."""

ASKED: tuple[type[Asking | SavedQuery], ...] = (Asking, SavedQuery)
"""The kinds of events that hold what somebody typed."""


class History(Protocol):
    """Who asked and was told what, which queries were saved, what topics were named, whose
    tickets were deleted, and who did what to which."""

    def add_events(self, events: Sequence[HistoryEvent]) -> int:
        """Append events for good; an event id seen before is skipped. Returns how many were new.

        Refused before any is added as in `put_tickets`, and safe to repeat after a failure."""

    def events(self, kind: type[Event], person: str = "") -> Iterator[Event]:
        """All events of a kind, of one person where given, in the order they were added."""

    def last_events(
        self, kind: type[Event], limit: int, offset: int = 0, person: str = ""
    ) -> list[Event]:
        """Events of a kind, of one person where given, the last added first; at most `limit`, after
        the first `offset`."""

    def count_events(self, kind: type[Event], person: str = "") -> int:
        """How many events of a kind there are, of one person where given."""


def is_past(event: Asking | SavedQuery, before: date, keep: Collection[str]) -> bool:
    """Whether what somebody asked or saved goes with the queries of before a day: what is saved of
    a query in `keep` stays."""
    saved = isinstance(event, SavedQuery) and event.query.id in keep
    return event.time.date() < before and not saved


def to_json(event: HistoryEvent) -> str:
    """An event as JSON. Raises InputError for half a surrogate pair in any text."""
    adapter = _adapters()[type(event)]
    require_text(_texts(adapter.dump_python(event)))
    return adapter.dump_json(event).decode()


def from_json(kind: type[Event], text: str) -> Event:
    """The event that `to_json` made the text of."""
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
