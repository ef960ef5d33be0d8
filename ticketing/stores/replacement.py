"""Replaces the content of a SQLite store while other processes have it open."""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from ticketing.errors import StoreAway, StoreError
from ticketing.files import link_in_place, link_or_copy, private_folder, sync_folder
from ticketing.stores.migration import Shown
from ticketing.stores.snapshot import PAGES, copy_database, shown_pages
from ticketing.stores.sqlite import SQLiteStore
from ticketing.stores.sqlite.code_files import code_file, remove_codes
from ticketing.stores.sqlite.database import DATABASE, LOCK_SECONDS
from ticketing.stores.sqlite.files import file_path

GAP = 1000
"""Gap in the numbers of code files, larger than the number of bundles made during a replacement."""

READER_SECONDS = 5.0
"""Seconds that old code files are kept for readers of the old content."""


def replace_content(
    live: SQLiteStore, folder: Path, keep: Callable[[], None], shown: Shown
) -> None:
    """Give an open store the content of the one in `folder`, in one transaction.

    Readers see the old or the new content; writers wait. `keep` is called when nobody writes any
    more and nothing has changed yet. If it raises, the old content stays, and no file of the new
    one is left beside it. Raises StoreAway if somebody writes for too long, StoreError.
    """
    with (
        live.database.plain_errors(),
        closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as source,
    ):
        _renumber(live, source, folder)
        _match_pages(live, source)

        def link_and_keep() -> None:
            _link_files(source, folder, live.database.folder)  # now nobody deletes one of them
            keep()

        try:
            _link_codes(source, folder, live.database.folder)
            _switch(live, source, link_and_keep, shown)
        except BaseException:
            # `ticketing check` reports what cannot be deleted.
            with suppress(StoreError, OSError, sqlite3.Error):
                _drop_linked(live, source)
            raise
        _drop_unnamed(live)


def keep_content(live: SQLiteStore, folder: Path, shown: Shown) -> None:
    """Copy an open store to an empty folder while nobody writes. Files and rows of codes are never
    changed in place, so they are hard-linked."""
    private_folder(folder)
    with live.database.plain_errors():
        copy_database(live, folder, shown)
        with closing(sqlite3.connect(folder / DATABASE)) as kept:
            _link_codes(kept, live.database.folder, folder)
            _link_files(kept, live.database.folder, folder)


def _numbers_used(connection: sqlite3.Connection) -> int:
    statement = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'code_files'"
    [(number,)] = connection.execute(statement).fetchall()
    return int(number)


def _renumber(live: SQLiteStore, source: sqlite3.Connection, folder: Path) -> None:
    """Give code files numbers that no process has seen, since processes cache blocks by number."""
    own = _numbers_used(source)
    with live.database.reading() as connection:
        shift = max(own, _numbers_used(connection)) + GAP
    numbers = [number for (number,) in source.execute("SELECT number FROM code_files")]
    source.execute("BEGIN IMMEDIATE")
    source.execute("UPDATE code_files SET number = number + ?", (shift,))
    source.execute("UPDATE codes SET file = file + ?", (shift,))
    source.execute("DELETE FROM sqlite_sequence WHERE name = 'code_files'")
    source.execute("INSERT INTO sqlite_sequence VALUES ('code_files', ?)", (own + shift,))
    source.execute("COMMIT")
    for number in numbers:
        with suppress(FileNotFoundError):  # `ticketing check` reports losses
            code_file(folder, number).rename(code_file(folder, number + shift))


def _match_pages(live: SQLiteStore, source: sqlite3.Connection) -> None:
    """Set the page size of the source to that of the live database, since pages are copied
    unchanged."""
    size = "SELECT page_size FROM pragma_page_size"
    [(wanted,)] = live.database.rows(size)
    if source.execute(size).fetchall() != [(wanted,)]:
        source.execute("PRAGMA journal_mode = DELETE")
        source.execute(f"PRAGMA page_size = {wanted}")
        source.execute("VACUUM")


def _link_codes(source: sqlite3.Connection, folder: Path, target: Path) -> None:
    """Hard-link the code files that a database refers to into another folder."""
    private_folder(target / "codes")
    for (number,) in source.execute("SELECT number FROM code_files").fetchall():
        path = code_file(target, number)
        remove_codes(path)  # of an interrupted restore: unreferenced
        with suppress(FileNotFoundError):
            link_or_copy(code_file(folder, number), path)
    sync_folder(target / "codes")


def _link_files(source: sqlite3.Connection, folder: Path, target: Path) -> None:
    """Hard-link the files that a database refers to into another folder, replacing files of the
    same name, which may be damaged."""
    for (sha256,) in source.execute("SELECT DISTINCT sha256 FROM files").fetchall():
        path = file_path(target, sha256)
        private_folder(path.parent)
        with suppress(FileNotFoundError):  # `ticketing check` reports losses
            link_in_place(file_path(folder, sha256), path)


def _switch(
    live: SQLiteStore, source: sqlite3.Connection, keep: Callable[[], None], shown: Shown
) -> None:
    pages, left = shown_pages(source, "restored", shown)
    step, locked = max(1, min(PAGES, pages // 2)), False

    def between(status: int, remaining: int, total: int) -> None:
        """After the first step the target is locked until the last one, which commits."""
        nonlocal locked
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreAway(
                f"{live.database.path} has been locked by another process for"
                f" {LOCK_SECONDS:.0f} seconds; try again."
            )
        if not locked:
            locked = True
            keep()
        left(remaining)

    with closing(sqlite3.connect(live.database.path, timeout=LOCK_SECONDS)) as target:
        source.backup(target, pages=step, progress=between)


def _named(connection: sqlite3.Connection, folder: Path) -> tuple[set[Path], set[Path]]:
    """Paths of the code files in a folder that a database refers to, and of the others."""
    numbers = connection.execute("SELECT number FROM code_files").fetchall()
    digests = connection.execute("SELECT sha256 FROM files").fetchall()
    return (
        {code_file(folder, number) for (number,) in numbers},
        {file_path(folder, sha256) for (sha256,) in digests},
    )


def _drop_linked(live: SQLiteStore, source: sqlite3.Connection) -> None:
    """Delete the files of a database that an open store does not refer to."""
    folder = live.database.folder
    codes, files = _named(source, folder)
    with live.database.writing() as connection:
        known_codes, known_files = _named(connection, folder)
        for path in codes - known_codes:
            remove_codes(path)
        for path in files - known_files:
            path.unlink(missing_ok=True)


def _drop_unnamed(live: SQLiteStore) -> None:
    """Delete files that the store no longer refers to, once nobody reads the old content. A mapped
    file stays until it is unmapped."""
    path = live.database.path
    with closing(sqlite3.connect(path, timeout=READER_SECONDS)) as connection:
        [(busy, *_)] = connection.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
    if busy:
        return  # `ticketing check` reports it; the next restore deletes them
    with live.database.writing() as connection:
        codes, files = _named(connection, path.parent)
        for file in path.parent.glob("files/[!.]*"):
            if file not in files:
                file.unlink(missing_ok=True)
        for file in path.parent.glob("codes/[0-9]*"):
            if file.with_suffix(".bin") not in codes:
                remove_codes(file.with_suffix(".bin"))
