"""Verdicts on categories in SQLite."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from ticketing.stores.checks import require_same
from ticketing.stores.protocols import Verdicts
from ticketing.stores.sqlite.database import ANY_OF, DatabasePart, json_list
from ticketing.tickets import Verdict

_COLUMNS = "event_id, subject, category, right, judge, time, bundle_id"
_SELECT = f"SELECT number, {_COLUMNS} FROM verdicts"


class SQLiteVerdicts(DatabasePart, Verdicts):
    """A row per event, in an append-only table."""

    def add_verdicts(self, verdicts: Sequence[Verdict]) -> int:
        ids = json_list(verdict.event_id for verdict in verdicts)
        with self.database.writing(durable=True) as connection:
            kept = connection.execute(f"{_SELECT} WHERE event_id {ANY_OF}", (ids,))
            require_same(map(_verdict, kept), verdicts)
            return sum(
                connection.execute(
                    f"INSERT INTO verdicts ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
                    " ON CONFLICT (event_id) DO NOTHING",
                    _record(verdict),
                ).rowcount
                for verdict in verdicts
            )

    def verdicts(self, subject: str = "") -> Iterator[Verdict]:
        condition, values = ("subject = ?", [subject]) if subject else ("TRUE", [])
        statement = f"{_SELECT} WHERE {condition} AND number > ? ORDER BY number LIMIT ?"
        return map(_verdict, self._pages(statement, 0, *values))


def _record(verdict: Verdict) -> tuple[Any, ...]:
    return (
        verdict.event_id,
        verdict.subject,
        verdict.category,
        verdict.right,
        verdict.judge,
        verdict.time.isoformat(),
        verdict.bundle_id,
    )


def _verdict(row: tuple[Any, ...]) -> Verdict:
    _, event_id, subject, category, right, judge, time, bundle_id = row
    right = None if right is None else bool(right)
    time = datetime.fromisoformat(time)
    return Verdict(event_id, subject, category, right, judge, time, bundle_id)
