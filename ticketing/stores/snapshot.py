"""A store as of one moment, in a folder of its own that SQLiteStore reads."""

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
"""Pages of the database that are copied at a time."""

BLOCK = 1 << 20


def snapshot(store: Store, folder: Path, shown: Shown) -> None:
    """Copy a store, while it is worked on, to an empty folder; nobody is signed in there.

    What was acknowledged before this call is in the copy. Of SQLite it is one moment. Servers know
    no moment of all indices: there each ticket is as it was when it was read, and of all that is
    only added to, some that came meanwhile may be in it, each whole. Raises StoreError where the
    store is damaged, StoreAway.
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
    """Copy the database of one moment, without its codes, who is signed in, who holds a
    lease and what a training goes on with."""
    with (
        store.database.reading() as source,
        closing(sqlite3.connect(folder / DATABASE)) as target,
    ):
        # The first statement is the moment; later writes of others do not start the copy anew.
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
    """How many pages a database has that is to be copied, and what is told how many are left."""
    count = "SELECT page_count, page_size FROM pragma_page_count, pragma_page_size"
    [(pages, size)] = source.execute(count).fetchall()
    went, before = shown(what, pages * size, BYTES), pages

    def left(remaining: int) -> None:
        nonlocal before
        went((before - remaining) * size)
        before = remaining

    return pages, left


def damage_of(folder: Path) -> str:
    """What SQLite says of a damaged database in a folder, every page of which is read; nothing
    where it is whole."""
    try:
        with closing(sqlite3.connect(folder / DATABASE)) as database:
            said = [line for (line,) in database.execute("PRAGMA quick_check(1)")]
    except sqlite3.DatabaseError as error:
        said = [str(error)]
    return "" if said == ["ok"] else " ".join(said[0].split())


def _copy_codes(source: Path, folder: Path, shown: Shown) -> None:
    """Copy the rows that the copied database counts; a file that was dropped meanwhile is dropped
    there, and one that has lost rows stays as it is, which their checksums tell."""
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
    """Link or copy the files that the copied database names; one that was dropped meanwhile is
    dropped there. Raises StoreError for one that the store still names, and has lost."""
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
    """Let a file of a store lie in another one's folder as well, linked where one disk has both, as
    it is never written in place. Returns whether it was there."""
    path = file_path(folder, sha256)
    private_folder(path.parent)
    try:
        link_or_copy(file_path(source, sha256), path)
    except FileNotFoundError:
        return False
    return True
