"""The serving bundles in SQLite."""

from sqlite3 import Connection

from ticketing.stores.protocols import Serving
from ticketing.stores.sqlite.database import DatabasePart
from ticketing.tickets import ModelKind


class SQLiteServing(DatabasePart, Serving):
    """A row per switch; the last one of a kind is valid."""

    def serving(self, kind: ModelKind = ModelKind.RANKING) -> str:
        with self.database.reading() as connection:
            return served(connection, kind)

    def previous_serving(self, kind: ModelKind = ModelKind.RANKING) -> str:
        with self.database.reading() as connection:
            return served(connection, kind, switches_ago=1)

    def set_serving(self, bundle_id: str, kind: ModelKind = ModelKind.RANKING) -> None:
        with self.database.writing(durable=True) as connection:
            if served(connection, kind) != bundle_id:
                connection.execute(
                    "INSERT INTO serving (bundle_id, kind) VALUES (?, ?)", (bundle_id, kind)
                )


def served(
    connection: Connection, kind: ModelKind = ModelKind.RANKING, switches_ago: int = 0
) -> str:
    """The bundle that served before the last `switches_ago` switches, or ""."""
    row = connection.execute(
        "SELECT bundle_id FROM serving WHERE kind = ? ORDER BY number DESC LIMIT 1 OFFSET ?",
        (kind, switches_ago),
    ).fetchone()
    return row[0] if row else ""
