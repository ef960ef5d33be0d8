"""Translates errors of SQLite and the disk into one plain sentence."""

import errno
import os
import sqlite3
from pathlib import Path

from ticketing.errors import StoreAway, StoreError, StoreFull, TicketingError
from ticketing.stores.checks import half_a_character
from ticketing.stores.damage import BACKUP, StoreDamaged

NO_WRITES = ("SQLITE_FULL", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR")
"""Prefixes of SQLite's error names for a disk that is full or read-only: SQLite writes beside the
database even for reading."""

NO_READS = ("SQLITE_IOERR_READ", "SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR_CORRUPTFS")
"""SQLite's error names for a broken disk."""

ERRORS = sqlite3.DatabaseError, UnicodeEncodeError, OSError
"""Errors that `plain` translates."""


def plain(error: Exception, path: Path, waited: float) -> TicketingError | None:
    """The store's error for an error of the database at `path`, or None for a defect. A writer has
    `waited` so many seconds for another one."""
    match error:
        case sqlite3.OperationalError():
            return _operational(error, path, waited)
        case sqlite3.ProgrammingError():
            return None
        case sqlite3.IntegrityError():
            return StoreError(
                f"{path} took nothing, as it contradicts what is there ({error}); somebody may have"
                " changed that just now: try again."
            )
        case sqlite3.DatabaseError():
            return StoreDamaged(
                f"{path} cannot be used: {error}; see `ticketing check`, and {BACKUP}."
            )
        case UnicodeEncodeError():
            return half_a_character(error.object)
        case FileExistsError() | NotADirectoryError():
            return StoreError(f"{path.parent} is a file; name the folder that holds the database.")
        case OSError():
            return _of_disk(error, error.filename or path.parent)
    return None


def _operational(error: sqlite3.OperationalError, path: Path, waited: float) -> StoreError | None:
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_ERROR":  # wrong SQL is a defect, not an error for people
        return None
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreAway(
            f"{path} has been locked by another process for {waited:.0f} seconds; try again."
        )
    if not name.startswith(NO_WRITES) or name.startswith(NO_READS):
        return StoreError(f"{path} cannot be used: {error}.")
    may_write = os.access(path, os.R_OK | os.W_OK)
    if may_write and os.access(path.parent, os.W_OK | os.X_OK):
        return StoreFull(
            f"{path} takes no writes ({error}); free some room on its disk, or let it be written"
            " to."
        )
    return StoreFull(
        f"The user who runs this may not read and write {path} ({error}); run it as the user who"
        f" owns that file, or let this one write to it and to {path.parent}."
    )


def _of_disk(error: OSError, path: object) -> StoreError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
        return StoreFull(
            f"{path} takes no writes ({error.strerror}); free some room on its disk, or let it be"
            " written to."
        )
    return StoreError(f"{path} cannot be used: {error.strerror}.")
