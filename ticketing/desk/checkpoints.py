"""A training's checkpoints in the store: whichever machine takes it up goes on from there.

A training writes files into a folder of its machine. Where the store is another one's too, they are
also kept there, as `checkpoint/<job id>/<file>`, while it is under way. No two clocks are compared:
beside its files a machine notes which of each the store has from it, or gave it, and goes on with
its own only where that is there still.
"""

import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ticketing.errors import StoreAway, StoreError
from ticketing.files import chunks, content_digest, write_atomically
from ticketing.repeating import repeating
from ticketing.stores.files import CHECKPOINTS, Files, KeptFile

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""How often a training's folder is looked at."""

REST = 10
"""Between two times that files are put the store rests, for so many times as long as that took."""

OTHERS = {".categories", ".tuning", ".unfinished"}
"""What others write into the folder."""

NOTE = ".kept"
"""Ends the name of the file that says which files the store has from here, by their SHA-256."""


class SharedCheckpoints:
    """The files of a folder that the training of a job goes on with, in the store as well."""

    def __init__(self, store: Files, folder: Path, job_id: str):
        self._store, self._folder = store, folder
        self._prefix = f"{CHECKPOINTS}{job_id}/"
        self._kept: dict[str, tuple[int, int]] = {}
        """Time and bytes of each file that is in the store as it is here."""
        self._note = folder / f".{job_id}{NOTE}"
        self._noted = _read(self._note)

    def fetch(self) -> None:
        """Have the files that somebody else has put since this machine did, and forget those of
        other jobs: one desk has one training at a time. Raises StoreAway, StoreError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for other in set(self._folder.glob(f".*{NOTE}")) - {self._note}:
            other.unlink(missing_ok=True)
        for file in self._store.files(CHECKPOINTS):
            if not file.name.startswith(self._prefix):
                self._store.drop_file(file.name)
                continue
            path = self._folder / file.name.removeprefix(self._prefix)
            if not path.exists() or not self._is_of_here(path, file.sha256):
                self._fetch(file, path)

    def _is_of_here(self, path: Path, there: str) -> bool:
        """Whether a file is what the store has, or was written since it was that."""
        return there in (self._noted.get(path.name), content_digest(path))

    def _fetch(self, file: KeptFile, path: Path) -> None:
        unfinished = path.with_name(f".{path.name}.unfinished")
        try:
            with unfinished.open("wb") as written:
                written.writelines(self._store.file_chunks(file.name))
        except StoreAway:
            raise
        except StoreError:
            log.warning("%s is damaged in the store; the training goes on without it", file.name)
            unfinished.unlink()
            self._store.drop_file(file.name)
        else:
            unfinished.replace(path)
            self._note_kept(path.name, file.sha256, _seen(path))

    def _note_kept(self, name: str, digest: str, seen: tuple[int, int]) -> None:
        """Remember, for the next process as well, what of a file the store has from here."""
        self._kept[name], self._noted[name] = seen, digest
        with suppress(OSError):  # the next one fetches it
            write_atomically(self._note, json.dumps(self._noted))

    def keep(self) -> None:
        """Put what is not in the store as it is here. Raises StoreAway, StoreError."""
        for path in sorted(self._folder.iterdir()):
            if path.name.startswith(".") or path.suffix in OTHERS or not path.is_file():
                continue
            try:
                seen = _seen(path)
                if self._kept.get(path.name) != seen:
                    kept = self._store.put_file(self._prefix + path.name, chunks(path))
                    self._note_kept(path.name, kept.sha256, seen)
            except FileNotFoundError:  # the training has removed it
                continue

    def drop(self) -> None:
        """The training is done. Raises StoreAway, StoreError."""
        for file in self._store.files(self._prefix):
            self._store.drop_file(file.name)
        self._note.unlink(missing_ok=True)


@contextmanager
def shared_checkpoints(store: Files, folder: Path, job_id: str) -> Iterator[None]:
    """Have what the training of a job goes on with, and keep in the store what the block writes:
    what it has reached when it is ended, nothing once it is done.

    A store that is away, or full, is tried again. Raises StoreAway, StoreError at the start.
    """
    shared = SharedCheckpoints(store, folder, job_id)
    shared.fetch()
    rested = 0.0

    def keep() -> None:
        nonlocal rested
        began = time.monotonic()
        if began >= rested:
            _tried(shared.keep)
            ended = time.monotonic()
            rested = ended + REST * (ended - began)

    try:
        with repeating(keep, LOOK_SECONDS):
            yield
    except BaseException:
        _tried(shared.keep)
        raise
    _tried(shared.drop)


def _tried(do: Callable[[], None]) -> None:
    try:
        do()
    except StoreError as error:
        log.info("checkpoints of a training stay on this machine for now: %s", error)


def _seen(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _read(note: Path) -> dict[str, str]:
    """What a process has noted; nothing where that cannot be read."""
    try:
        noted = json.loads(note.read_text())
        return {str(name): str(digest) for name, digest in noted.items()}
    except (OSError, ValueError, AttributeError):
        return {}
