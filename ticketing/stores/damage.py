"""What `ticketing check` finds, and what a store tells of damage to itself."""

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
"""How long a file may take to be put."""

BACKUP = "restore a backup with `ticketing restore`"


class StoreDamaged(StoreError):
    """A store whose bytes are not what was written; its cause says no more than that."""


@dataclass(frozen=True)
class Finding:
    """Something that is damaged: where, what, and what to do.

    `mend`, where it can be mended here, does it and says what was done.
    """

    where: str
    what: str
    todo: str
    mend: Callable[[], str] | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.todo}."


def half_written(folder: Path) -> Iterator[Finding]:
    """What processes that were killed began to write into a folder: hidden, and left for a day."""
    before = time.time() - A_DAY.total_seconds()
    left = [path for path in sorted(folder.glob(".*")) if 0 < _written(path) < before]
    if left:
        what = f"{counted(len(left), 'piece')} that nobody ended writing"
        yield Finding(str(folder), what, "delete them", partial(_delete, left))


def _written(path: Path) -> float:
    """When a file was last written, in seconds since 1970; 0 for one that was just given its name,
    or deleted."""
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
    """A store that knows its own damage."""

    def findings(self) -> Iterator[Finding]:
        """What is damaged in the store itself, but for the bytes of codes (see `damaged_codes`).
        Everything is read."""

    def require_room(self) -> None:
        """Raises StoreFull where nothing can be written at present, StoreError where a part of the
        store is missing."""
