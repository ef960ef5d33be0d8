"""A copy of a store as of one moment, as a folder that SQLiteStore reads."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ticketing.errors import StoreError
from ticketing.files import link_or_copy, private_folder
from ticketing.stores.files import CHECKPOINTS, damaged
from ticketing.stores.migration import BYTES, Shown, copy_all
from ticketing.stores.protocols import Store
from ticketing.stores.sqlite import SQLiteStore
from ticketing.stores.sqlite.code_files import code_file
from ticketing.stores.sqlite.database import DATABASE
from ticketing.stores.sqlite.files import file_path

PAGES = 2048
"""Pages of the database copied at a time."""

BLOCK = 1 << 20


def snapshot(store: Store, folder: Path, shown: Shown) -> None:
    """Copy a store that is in use to an empty folder, without sessions.

    The copy contains everything acknowledged before this call. For SQLite it is one moment.
    Elasticsearch has no common moment of all indices: each ticket is as it was when it was read,
    and append-only data may include some that were added meanwhile, each complete. Raises
    StoreError if the store is damaged, StoreAway.
    """
    private_folder(folder)
    if isinstance(store, SQLiteStore):
        with store.database.plain_errors():
            copy_database(store, folder, shown)
        if damage := damage_of(folder):
            raise StoreError(f"{store.database.path} is damaged ({damage}); see `ticketing check`.")
        _copy_codes(store.database.folder, folder, shown)
        _copy_files(store, folder, shown)
    else:
        with closing(SQLiteStore(folder)) as target:
            copy_all(store, target, lambda _, rows: rows, shown)


def copy_database(store: SQLiteStore, folder: Path, shown: Shown) -> None:
    """Copy the database as of one moment, without codes, sessions, leases and checkpoints."""
    with (
        store.database.reading() as source,
        closing(sqlite3.connect(folder / DATABASE)) as target,
    ):
        # The first statement fixes the moment; later writes do not restart the copy.
        _, left = shown_pages(source, "database", shown)
        source.execute("SELECT count(*) FROM serving").fetchall()
        source.backup(target, pages=PAGES, progress=lambda _, remaining, __: left(remaining))
        target.execute("DELETE FROM sessions")
        target.execute("DELETE FROM leases")
        target.execute("DELETE FROM files WHERE name LIKE ?", (f"{CHECKPOINTS}%",))
        target.commit()


def shown_pages(
    source: sqlite3.Connection, what: str, shown: Shown
) -> tuple[int, Callable[[int], None]]:
    """The number of a database's pages to copy, and a function to call with the number left."""
    count = "SELECT page_count, page_size FROM pragma_page_count, pragma_page_size"
    [(pages, size)] = source.execute(count).fetchall()
    went, before = shown(what, pages * size, BYTES), pages

    def left(remaining: int) -> None:
        nonlocal before
        went((before - remaining) * size)
        before = remaining

    return pages, left


def damage_of(folder: Path) -> str:
    """SQLite's message about a damaged database in a folder, of which every page is read; "" if it
    is intact."""
    try:
        with closing(sqlite3.connect(folder / DATABASE)) as database:
            said = [line for (line,) in database.execute("PRAGMA quick_check(1)")]
    except sqlite3.DatabaseError as error:
        said = [str(error)]
    return "" if said == ["ok"] else " ".join(said[0].split())


def _copy_codes(source: Path, folder: Path, shown: Shown) -> None:
    """Copy the rows that the copied database refers to. The codes of a file that was deleted
    meanwhile are deleted in the copy; a file that has lost rows is copied as it is, since checksums
    will show the loss."""
    with closing(sqlite3.connect(folder / DATABASE)) as target:
        target.execute("PRAGMA foreign_keys = ON")
        files = target.execute("SELECT number, rows * width FROM code_files").fetchall()
        went = shown("codes", sum(size for _, size in files), BYTES)
        for number, size in files:
            path = code_file(folder, number)
            private_folder(path.parent)
            try:
                with code_file(source, number).open("rb") as old, path.open("wb") as new:
                    while size > 0 and (data := old.read(min(BLOCK, size))):
                        new.write(data)
                        size -= len(data)
                        went(len(data))
            except FileNotFoundError:
                target.execute("DELETE FROM code_files WHERE number = ?", (number,))
        target.commit()


def _copy_files(store: SQLiteStore, folder: Path, shown: Shown) -> None:
    """Link or copy the files that the copied database refers to; a file deleted meanwhile is
    deleted in the copy. Raises StoreError for a file that the store still refers to but has
    lost."""
    source = store.database.folder
    with closing(sqlite3.connect(folder / DATABASE)) as target:
        files = target.execute("SELECT sha256, max(bytes) FROM files GROUP BY sha256").fetchall()
        went = shown("files", sum(size for _, size in files), BYTES)
        for sha256, size in files:
            if not link_file(source, folder, sha256):
                named = store.database.rows(
                    "SELECT name FROM files WHERE sha256 = ? ORDER BY name", sha256
                )
                if not named:
                    target.execute("DELETE FROM files WHERE sha256 = ?", (sha256,))
                elif not link_file(source, folder, sha256):
                    raise damaged(named[0][0])
            went(size)
        target.commit()


def link_file(source: Path, folder: Path, sha256: str) -> bool:
    """Hard-link or copy a file of a store into another store's folder; such files are never changed
    in place. Returns whether the file exists."""
    path = file_path(folder, sha256)
    private_folder(path.parent)
    try:
        link_or_copy(file_path(source, sha256), path)
    except FileNotFoundError:
        return False
    return True
