"""Files that all machines of a desk share: bundles, what is imported, reports."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Protocol

from ticketing.errors import NotFound, StoreAway, StoreError
from ticketing.stores.damage import Finding

CHECKPOINTS = "checkpoint/"
"""Begins the names of what a training goes on with, which is of no use to a copy of the store."""

BUNDLE_MANIFEST = "manifest.json"
"""The file of a bundle that says that the store has all of it."""


@dataclass(frozen=True)
class KeptFile:
    """A file in a store: its bytes, their SHA-256 in hex, and when it was put (UTC, by the clock of
    who put it)."""

    name: str
    bytes: int
    sha256: str
    put: datetime


class Files(Protocol):
    """Files by name, as `bundle/<id>/<file>`, `import/<upload>/<number>` (and, of whoever may not
    see all, `import/<upload>/0-taken-<page>`), `vectors/<digest>/<file>`, `report/<job>/<file>` and
    `checkpoint/<job>/<file>`; each is there as a whole or not at all."""

    def put_file(self, name: str, chunks: Iterable[bytes]) -> KeptFile:
        """Keep a file, in the place of one of the same name. Whatever `chunks` raises leaves that
        one; safe to repeat after a failure."""

    def file_chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a file. Raises NotFound, StoreError at the end where they are not those that
        were put, and StoreAway where another file took its place meanwhile."""

    def files(self, prefix: str = "") -> list[KeptFile]:
        """All files whose names begin with a prefix, by name."""

    def drop_file(self, name: str) -> None:
        """Delete a file, if there is one."""

    def file_at(self, name: str) -> Path | None:
        """Where a file lies on this machine, to be linked and never written in place; None where
        the store keeps it otherwise, or not at all."""


def compared(chunks: Iterable[bytes], kept: KeptFile) -> Iterator[bytes]:
    """Chunks as they come. Raises StoreError at their end where they are not the file's."""
    size, digest = 0, hashlib.sha256()
    for chunk in chunks:
        size += len(chunk)
        digest.update(chunk)
        yield chunk
    if (size, digest.hexdigest()) != (kept.bytes, kept.sha256):
        raise damaged(kept.name)


def no_file(name: str) -> NotFound:
    """The error for a file that is not there."""
    return NotFound(f"There is no file {name} in the store; it may have been deleted.")


def damaged(name: str) -> StoreError:
    """The error for a file that is lost, in part or as a whole, or was changed."""
    return StoreError(f"The file {name} in the store is damaged; run `ticketing check --repair`.")


def lasting_files(store: Files) -> list[KeptFile]:
    """All files but checkpoints, by name."""
    return [file for file in store.files() if not file.name.startswith(CHECKPOINTS)]


def damaged_files(store: Files) -> Iterator[Finding]:
    """Files that are lost, in part or as a whole, or were changed; all are read."""
    for kept in store.files():
        try:
            for _ in store.file_chunks(kept.name):
                pass
        except (NotFound, StoreAway):  # dropped or replaced just now
            continue
        except StoreError:
            todo = "let go of it, so that whoever has it still puts it there again"
            mend = partial(let_go, store, kept.name)
            yield Finding(f"file {kept.name}", "it is lost or was changed", todo, mend)


def let_go(store: Files, name: str) -> str:
    """Delete a file of which the store has not all; says so."""
    store.drop_file(name)
    path = PurePosixPath(name)
    if path.match("bundle/*/*"):  # nobody takes the rest for a whole bundle
        store.drop_file(str(path.with_name(BUNDLE_MANIFEST)))
    return "it is no longer named"
