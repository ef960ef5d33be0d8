"""Remembers on disk where each id of an import was first given, so that memory does not grow."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from tempfile import gettempdir

from ticketing.errors import StoreError


class FirstPlaces:
    """The first place of each id."""

    def __init__(self, connection: sqlite3.Connection):
        self._connection = connection
        connection.execute("CREATE TABLE places (id TEXT PRIMARY KEY, place BLOB) WITHOUT ROWID")

    def earlier(self, id: str, place: str) -> str:
        """The earlier place of an id, or "" if this is the first one, which is then remembered.

        Raises StoreError if the disk is full.
        """
        try:
            put = "INSERT OR IGNORE INTO places VALUES (?, ?)"
            # A file's name may be bytes that are not text.
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
    """Context manager: places in a private file, which is deleted at the end."""
    with closing(sqlite3.connect("", isolation_level=None, check_same_thread=False)) as connection:
        connection.execute("BEGIN")
        yield FirstPlaces(connection)
