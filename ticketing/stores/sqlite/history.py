"""The history in SQLite."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from sqlite3 import Connection

from ticketing.history import HistoryEvent
from ticketing.stores.history import (
    ASKED,
    KINDS,
    Event,
    History,
    from_json,
    is_past,
    to_json,
)
from ticketing.stores.sqlite.database import DatabasePart


class SQLiteHistory(DatabasePart, History):
    """A row per event, in an append-only table."""

    def add_events(self, events: Sequence[HistoryEvent]) -> int:
        rows = [(e.event_id, KINDS[type(e)], e.person, to_json(e)) for e in events]
        with self.database.writing(durable=True) as connection:
            return sum(
                connection.execute(
                    "INSERT INTO history (event_id, kind, person, event) VALUES (?, ?, ?, ?)"
                    " ON CONFLICT (event_id) DO NOTHING",
                    row,
                ).rowcount
                for row in rows
            )

    def events(self, kind: type[Event], person: str = "") -> Iterator[Event]:
        condition, values = _whose(kind, person)
        statement = (
            f"SELECT number, event FROM history WHERE {condition}"
            " AND number > ? ORDER BY number LIMIT ?"
        )
        rows = self._pages(statement, 0, *values)
        return (from_json(kind, text) for _, text in rows)

    def last_events(
        self, kind: type[Event], limit: int, offset: int = 0, person: str = ""
    ) -> list[Event]:
        condition, values = _whose(kind, person)
        statement = f"SELECT event FROM history WHERE {condition} ORDER BY number DESC"
        rows = self.database.rows(f"{statement} LIMIT ? OFFSET ?", *values, limit, offset)
        return [from_json(kind, text) for (text,) in rows]

    def count_events(self, kind: type[Event], person: str = "") -> int:
        condition, values = _whose(kind, person)
        [(count,)] = self.database.rows(f"SELECT count(*) FROM history WHERE {condition}", *values)
        return int(count)


def _whose(kind: type[Event], person: str) -> tuple[str, list[str]]:
    """A condition on rows and its values, for which an index gives the rows in order of their
    numbers."""
    if person:
        return "kind = ? AND person = ?", [KINDS[kind], person]
    return "kind = ?", [KINDS[kind]]


def forget_asked(connection: Connection, before: date, keep: Collection[str]) -> None:
    """Delete askings and saved queries from before a day, see `is_past`. All are read, since a
    clock may have been fast."""
    for kind in ASKED:
        rows = connection.execute("SELECT number, event FROM history WHERE kind = ?", [KINDS[kind]])
        past = [(number,) for number, text in rows if is_past(from_json(kind, text), before, keep)]
        connection.executemany("DELETE FROM history WHERE number = ?", past)
