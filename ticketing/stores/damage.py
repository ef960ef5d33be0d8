"""What `ticketing check` finds, and what a store tells of damage to itself."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from ticketing.errors import StoreError

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


class Checked(Protocol):
    """A store that knows its own damage."""

    def findings(self) -> Iterator[Finding]:
        """What is damaged in the store itself, but for the bytes of codes (see `damaged_codes`).
        Everything is read."""

    def require_room(self) -> None:
        """Raises StoreFull where nothing can be written at present, StoreError where a part of the
        store is missing."""
