"""A training's checkpoints in the store, so that another machine can resume the training.

A training writes checkpoint files into a folder of its machine. If the store is on another machine,
they are also kept there, as `checkpoint/<job id>/<file>`, until the training ends. Clocks are not
compared: in the file NOTE, a machine notes the digests of the files that it fetched from the store
or put there. It uses its own file only if the store still has the noted version.
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
"""Seconds between two looks at a training's folder."""

REST = 10
"""After an upload, wait this many times as long as the upload took, to spare the store."""

OTHERS = {".categories", ".tuning", ".unfinished"}
"""Suffixes of files in the folder that are not checkpoints of this training."""

NOTE = ".kept"
"""Suffix of the file that notes which files the store has from here, by their SHA-256."""


class SharedCheckpoints:
    """The checkpoint files of a training job, in a folder and in the store."""

    def __init__(self, store: Files, folder: Path, job_id: str):
        self._store, self._folder = store, folder
        self._prefix = f"{CHECKPOINTS}{job_id}/"
        self._kept: dict[str, tuple[int, int]] = {}
        """Modification time and size of each file that the store has in its present version."""
        self._note = folder / f".{job_id}{NOTE}"
        self._noted = _read(self._note)

    def fetch(self) -> None:
        """Fetch the files that another machine has put since this one did, and delete those of
        other jobs, since a desk has one training at a time. Raises StoreAway, StoreError."""
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
        """Whether the local file is the version in the store, or a newer one that was made from
        it."""
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
        """Note, also for the next process, which version of a file the store has from here."""
        self._kept[name], self._noted[name] = seen, digest
        with suppress(OSError):  # if it cannot be written, the next process fetches the file
            write_atomically(self._note, json.dumps(self._noted))

    def keep(self) -> None:
        """Upload new and changed files. Raises StoreAway, StoreError."""
        for path in sorted(self._folder.iterdir()):
            if path.name.startswith(".") or path.suffix in OTHERS or not path.is_file():
                continue
            try:
                seen = _seen(path)
                if self._kept.get(path.name) != seen:
                    kept = self._store.put_file(self._prefix + path.name, chunks(path))
                    self._note_kept(path.name, kept.sha256, seen)
            except FileNotFoundError:  # the training has deleted it
                continue

    def drop(self) -> None:
        """Delete the files in the store when the training is done. Raises StoreAway, StoreError."""
        for file in self._store.files(self._prefix):
            self._store.drop_file(file.name)
        self._note.unlink(missing_ok=True)


@contextmanager
def shared_checkpoints(store: Files, folder: Path, job_id: str) -> Iterator[None]:
    """Context manager around a training: fetch the checkpoints of its job, and upload those that
    the block writes. If the block fails or is stopped, the last ones are uploaded; if it succeeds,
    they are deleted from the store.

    If the store is away or full, it is tried again later. Raises StoreAway, StoreError at the
    start.
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
    """The notes of an earlier process, or an empty dict if they cannot be read."""
    try:
        noted = json.loads(note.read_text())
        return {str(name): str(digest) for name, digest in noted.items()}
    except (OSError, ValueError, AttributeError):
        return {}
