"""Which bundle serves."""

from sqlite3 import Connection

from ticketing.stores.protocols import Serving
from ticketing.stores.sqlite.database import DatabasePart


class SQLiteServing(DatabasePart, Serving):
    """A row for each switch; the last one holds."""

    def serving(self) -> str:
        """Id of the serving bundle, or an empty string."""
        with self._database.reading() as connection:
            return served(connection)

    def previous_serving(self) -> str:
        """Id of the bundle that served before the current one, or an empty string."""
        with self._database.reading() as connection:
            return served(connection, switches_ago=1)

    def set_serving(self, bundle_id: str) -> None:
        """Switch atomically; naming the serving bundle again changes nothing."""
        with self._database.writing(durable=True) as connection:
            if served(connection) != bundle_id:
                connection.execute("INSERT INTO serving (bundle_id) VALUES (?)", (bundle_id,))


def served(connection: Connection, switches_ago: int = 0) -> str:
    """The bundle that served before the last so many switches, or an empty string."""
    row = connection.execute(
        "SELECT bundle_id FROM serving ORDER BY number DESC LIMIT 1 OFFSET ?", (switches_ago,)
    ).fetchone()
    return row[0] if row else ""
