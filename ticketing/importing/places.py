"""Where each id of an import was first given, kept on disk: an import's memory does not grow."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from tempfile import gettempdir

from ticketing.errors import StoreError


class FirstPlaces:
    """Ids and the place where each came first."""

    def __init__(self, connection: sqlite3.Connection):
        self._connection = connection
        connection.execute("CREATE TABLE places (id TEXT PRIMARY KEY, place BLOB) WITHOUT ROWID")

    def earlier(self, id: str, place: str) -> str:
        """Where an id came before it comes at a place; empty where it did not.

        Raises StoreError where the disk takes no more.
        """
        try:
            put = "INSERT OR IGNORE INTO places VALUES (?, ?)"
            # The name of a file is bytes, not always text.
            if self._connection.execute(put, (id, os.fsencode(place))).rowcount:
                return ""
            found = self._connection.execute("SELECT place FROM places WHERE id = ?", (id,))
            return os.fsdecode(found.fetchone()[0])
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"The ids of this import cannot be kept in {gettempdir()} ({error}); free some "
                "room there."
            ) from error


@contextmanager
def first_places() -> Iterator[FirstPlaces]:
    """Places of a private file, which is gone with the block."""
    with closing(sqlite3.connect("", isolation_level=None, check_same_thread=False)) as connection:
        connection.execute("BEGIN")
        yield FirstPlaces(connection)
