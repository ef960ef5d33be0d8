"""Leases in SQLite."""

from ticketing.stores.jobs import Lease, Leases, SeenLeases
from ticketing.stores.sqlite.database import Database, DatabasePart


class SQLiteLeases(DatabasePart, Leases):
    """A row per lease: its holder, its duration and the number of the renewal."""

    def __init__(self, database: Database):
        super().__init__(database)
        self._seen_leases = SeenLeases()

    def take_lease(self, name: str, holder: str, seconds: float, renewed: bool = False) -> bool:
        with self.database.writing() as connection:
            row = connection.execute(
                "SELECT holder, seconds, turn FROM leases WHERE name = ?", (name,)
            ).fetchone()
            if renewed and (not row or row[0] != holder):
                return False
            taken = self._seen_leases.next(name, row and Lease(*row), holder, seconds)
            if taken:
                connection.execute(
                    "INSERT OR REPLACE INTO leases (name, holder, seconds, turn)"
                    " VALUES (?, ?, ?, ?)",
                    (name, taken.holder, taken.seconds, taken.turn),
                )
            return taken is not None

    def drop_lease(self, name: str, holder: str) -> None:
        with self.database.writing() as connection:
            connection.execute("DELETE FROM leases WHERE name = ? AND holder = ?", (name, holder))

    def lease_is_free(self, name: str) -> bool:
        rows = self.database.rows("SELECT holder, seconds, turn FROM leases WHERE name = ?", name)
        return not rows or self._seen_leases.has_run_out(name, Lease(*rows[0]))
