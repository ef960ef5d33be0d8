"""One SQLite database for many threads: a connection per thread, transactions, and errors as one
sentence."""

import fcntl
import json
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ticketing.errors import StoreError
from ticketing.files import desk_folder
from ticketing.stores.damage import BACKUP
from ticketing.stores.sqlite import faults, upgrades
from ticketing.stores.sqlite.code_files import checksum_in
from ticketing.stores.sqlite.schema import VERSION
from ticketing.text.literals import literal_keys

DATABASE = "tickets.sqlite3"
"""The file of the database in its folder."""

LOCK_SECONDS = 15.0
"""Seconds that a writer waits for another one."""

Row = tuple[Any, ...]
"""A row's values: text, numbers, None."""

PAGE = 500
"""Rows held in memory while all of them are read."""

ANY_OF = "IN (SELECT value FROM json_each(?))"
"""Condition of membership in a JSON list of any length."""


class _Connection(sqlite3.Connection):
    """A connection to which weak references are possible, so that it is closed with its thread."""


def _literals_of(*texts: str) -> str:
    return json_list(literal_keys(*texts))


class Database:
    """`tickets.sqlite3` in a folder, in write-ahead mode: readers never wait for the writer.

    Every statement runs on the calling thread's own connection.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.path = folder / DATABASE
        self._local = threading.local()
        self.connections: weakref.WeakSet[_Connection] = weakref.WeakSet()
        self._closed = False
        with self.plain_errors():
            desk_folder(folder)
            self._prepare()

    def rows(self, statement: str, *values: object) -> list[Row]:
        """All rows of one statement."""
        with self.plain_errors():
            return self._connection().execute(statement, values).fetchall()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A transaction whose statements all see the same moment."""
        with self.plain_errors(), self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """A write transaction: exclusive among writers, and rolled back if the block raises.

        A `durable` one survives a power cut; any survives a killed process.
        """
        with self.plain_errors():
            self._connection().execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            with self._transaction("BEGIN IMMEDIATE") as connection:
                yield connection

    def close(self) -> None:
        """Close every thread's connection."""
        self._closed = True
        for connection in list(self.connections):
            connection.close()

    def _connection(self) -> sqlite3.Connection:
        if self._closed:
            raise self._was_closed()
        if not hasattr(self._local, "connection"):
            connection = sqlite3.connect(
                self.path,
                timeout=LOCK_SECONDS,
                isolation_level=None,  # transactions are begun explicitly
                check_same_thread=False,  # close() is called in another thread
                factory=_Connection,
            )
            connection.execute("PRAGMA foreign_keys = ON")
            self.connections.add(connection)
            self._local.connection = connection
        held: _Connection = self._local.connection
        return held

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        connection = self._connection()
        connection.execute(begin)
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _prepare(self) -> None:
        """Check that the database belongs to this program, and create missing tables, one process
        at a time."""
        if self.path.is_dir():
            raise StoreError(
                f"{self.path} is a folder, and should be the database; move it away, or name"
                " another home with TICKETING_HOME."
            )
        with _locked(self.folder):
            if not self.path.exists() or not self.path.stat().st_size:
                self._require_first_start()
            connection = self._connection()
            try:
                version = upgrades.version_of(connection)
            except ValueError as error:
                raise StoreError(f"{self.path} {error}.") from None
            if version < VERSION:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.create_function("checksum_of", 3, checksum_in(self.folder))
                connection.create_function("literals_of", 3, _literals_of)
                with self._transaction("BEGIN IMMEDIATE"):
                    upgrades.bring_up(connection, version)

    def _require_first_start(self) -> None:
        """Raises StoreError if files beside a new database belong to a lost one."""
        for name in ("codes", "files"):
            if (beside := self.folder / name).is_dir() and any(beside.iterdir()):
                raise StoreError(
                    f"The store in {self.folder} has lost its database: {self.path.name} is not"
                    f" there or empty, and {name} of it are there; {BACKUP}."
                )

    @contextmanager
    def plain_errors(self) -> Iterator[None]:
        """Context manager: turn errors of SQLite and the disk into one sentence with the path."""
        try:
            yield
        except faults.ERRORS as error:
            said = faults.plain(error, self.path, LOCK_SECONDS)
            if self._closed and isinstance(error, sqlite3.ProgrammingError):
                said = self._was_closed()
            if said is None:
                raise
            raise said from error

    def _was_closed(self) -> StoreError:
        return StoreError(f"The store in {self.folder} was closed; open it again.")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Context manager: one process at a time, by a lock on the folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def json_list(values: Iterable[str | int]) -> str:
    """A JSON list for `ANY_OF`."""
    return json.dumps(list(values))


class DatabasePart:
    """Base class of the parts of the store, which share the database."""

    def __init__(self, database: Database):
        self.database = database

    def _pages(self, statement: str, after: str | int, *values: object) -> Iterator[Row]:
        """Rows of a statement, read in pages by its first column, the key.

        The statement ends in `key > ? ORDER BY key LIMIT ?`; `after` is the lower bound of the
        first key. No transaction stays open between pages.
        """
        rows: list[Row] = [()] * PAGE
        while len(rows) == PAGE:
            rows = self.database.rows(statement, *values, after, PAGE)
            yield from rows
            after = rows[-1][0] if rows else after
