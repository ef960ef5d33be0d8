"""Findings of `ticketing check`, and the interface by which a store reports its own damage."""

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Protocol

from ticketing.errors import StoreError
from ticketing.plurals import counted

A_DAY = timedelta(days=1)
"""Time after which a half-written file counts as abandoned."""

BACKUP = "restore a backup with `ticketing restore`"


class StoreDamaged(StoreError):
    """The content of a store is not what was written."""


@dataclass(frozen=True)
class Finding:
    """A damage: where, what, and what to do.

    `mend`, if the damage can be mended here, mends it and returns what was done.
    """

    where: str
    what: str
    todo: str
    mend: Callable[[], str] | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.todo}."


def half_written(folder: Path) -> Iterator[Finding]:
    """Hidden files in a folder that killed processes left half-written at least a day ago."""
    before = time.time() - A_DAY.total_seconds()
    left = [path for path in sorted(folder.glob(".*")) if 0 < _written(path) < before]
    if left:
        what = f"{counted(len(left), 'piece')} that nobody ended writing"
        yield Finding(str(folder), what, "delete them", partial(_delete, left))


def _written(path: Path) -> float:
    """When a file was last written, in seconds since 1970; 0 if it was just renamed or deleted."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _delete(paths: list[Path]) -> str:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return "they were deleted"


class Checked(Protocol):
    """A store that can check itself for damage."""

    def findings(self) -> Iterator[Finding]:
        """Damage of the store itself, except of the bytes of codes (see `damaged_codes`). Reads
        everything."""

    def require_room(self) -> None:
        """Raises StoreFull if nothing can be written at present, StoreError if a part of the store
        is missing."""
