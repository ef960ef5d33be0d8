"""A training's checkpoints in the store: whichever machine takes it up goes on from there.

A training writes files into a folder of its machine. Where the store is another one's too, they are
also kept there, as `checkpoint/<job id>/<file>`, while it is under way.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path

from ticketing.errors import StoreAway, StoreError
from ticketing.files import chunks
from ticketing.repeating import repeating
from ticketing.stores.files import CHECKPOINTS, Files

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""How often a training's folder is looked at."""

REST = 10
"""Between two times that files are put the store rests, for so many times as long as that took."""

OTHERS = {".categories", ".tuning", ".unfinished"}
"""What others write into the folder."""


class SharedCheckpoints:
    """The files of a folder that the training of a job goes on with, in the store as well."""

    def __init__(self, store: Files, folder: Path, job_id: str):
        self._store, self._folder = store, folder
        self._prefix = f"{CHECKPOINTS}{job_id}/"
        self._kept: dict[str, tuple[int, int]] = {}
        """Time and bytes of each file that is in the store as it is here."""

    def fetch(self) -> None:
        """Have the files that somebody else has written later than what is here, and forget those
        of other jobs: one desk has one training at a time. Raises StoreAway, StoreError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for file in self._store.files(CHECKPOINTS):
            if not file.name.startswith(self._prefix):
                self._store.drop_file(file.name)
                continue
            path = self._folder / file.name.removeprefix(self._prefix)
            put = file.put.replace(tzinfo=UTC).timestamp()
            if not path.exists() or path.stat().st_mtime < put:
                self._fetch(file.name, path)

    def _fetch(self, name: str, path: Path) -> None:
        unfinished = path.with_name(f".{path.name}.unfinished")
        try:
            with unfinished.open("wb") as file:
                file.writelines(self._store.file_chunks(name))
        except StoreAway:
            raise
        except StoreError:
            log.warning("%s is damaged in the store; the training goes on without it", name)
            unfinished.unlink()
            self._store.drop_file(name)
        else:
            unfinished.replace(path)
            self._kept[path.name] = _seen(path)

    def keep(self) -> None:
        """Put what is not in the store as it is here. Raises StoreAway, StoreError."""
        for path in sorted(self._folder.iterdir()):
            if path.name.startswith(".") or path.suffix in OTHERS or not path.is_file():
                continue
            try:
                seen = _seen(path)
                if self._kept.get(path.name) != seen:
                    self._store.put_file(self._prefix + path.name, chunks(path))
                    self._kept[path.name] = seen
            except FileNotFoundError:  # the training has removed it
                continue

    def drop(self) -> None:
        """The training is done. Raises StoreAway, StoreError."""
        for file in self._store.files(self._prefix):
            self._store.drop_file(file.name)


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
