"""Files shared by all machines of a desk: bundles, uploads, reports, checkpoints."""

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
"""Prefix of the names of checkpoints, which are not copied with a store."""

BUNDLE_MANIFEST = "manifest.json"
"""A bundle is complete in the store if this file is there."""


@dataclass(frozen=True)
class KeptFile:
    """A file in a store: size in bytes, SHA-256 in hex, and when it was put (UTC, by the clock of
    the writer)."""

    name: str
    bytes: int
    sha256: str
    put: datetime


class Files(Protocol):
    """Files by name: `bundle/<id>/<file>`, `import/<upload>/<number>` (and
    `import/<upload>/0-taken-<page>` for people who may not see all tickets),
    `vectors/<digest>/<file>`, `report/<job>/<file>` and `checkpoint/<job>/<file>`. Each file is
    complete or missing."""

    def put_file(self, name: str, chunks: Iterable[bytes]) -> KeptFile:
        """Keep a file, replacing one of the same name. If `chunks` raises, the old file stays. Safe
        to repeat after a failure."""

    def file_chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a file. Raises NotFound; StoreError at the end if they are not those that
        were put; StoreAway if the file was replaced meanwhile."""

    def files(self, prefix: str = "") -> list[KeptFile]:
        """All files whose names have a prefix, by name."""

    def drop_file(self, name: str) -> None:
        """Delete a file if it exists."""

    def file_at(self, name: str) -> Path | None:
        """The path of a file on this machine, for hard links; it must never be written to. None if
        the store keeps it in another way, or not at all."""


def compared(chunks: Iterable[bytes], kept: KeptFile) -> Iterator[bytes]:
    """Pass chunks on. Raises StoreError at the end if they are not the file's."""
    size, digest = 0, hashlib.sha256()
    for chunk in chunks:
        size += len(chunk)
        digest.update(chunk)
        yield chunk
    if (size, digest.hexdigest()) != (kept.bytes, kept.sha256):
        raise damaged(kept.name)


def no_file(name: str) -> NotFound:
    """The error for a missing file."""
    return NotFound(f"There is no file {name} in the store; it may have been deleted.")


def damaged(name: str) -> StoreError:
    """The error for a file that is incomplete, lost or changed."""
    return StoreError(f"The file {name} in the store is damaged; run `ticketing check --repair`.")


def lasting_files(store: Files) -> list[KeptFile]:
    """All files but checkpoints, by name."""
    return [file for file in store.files() if not file.name.startswith(CHECKPOINTS)]


def damaged_files(store: Files) -> Iterator[Finding]:
    """Files that are incomplete, lost or changed; all files are read."""
    for kept in store.files():
        try:
            for _ in store.file_chunks(kept.name):
                pass
        except (NotFound, StoreAway):  # just deleted or replaced
            continue
        except StoreError:
            todo = "let go of it, so that whoever has it still puts it there again"
            mend = partial(let_go, store, kept.name)
            yield Finding(f"file {kept.name}", "it is lost or was changed", todo, mend)


def let_go(store: Files, name: str) -> str:
    """Delete an incomplete file; returns a sentence."""
    store.drop_file(name)
    path = PurePosixPath(name)
    if path.match("bundle/*/*"):  # so the rest is not taken for a bundle
        store.drop_file(str(path.with_name(BUNDLE_MANIFEST)))
    return "it is no longer named"
