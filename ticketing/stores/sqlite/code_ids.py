"""Which row belongs to which ticket: ids in one array and, for large archives, cached in a file."""

import logging
import os
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ticketing.arrays import map_arrays, write_arrays
from ticketing.errors import ArraysError
from ticketing.ids import Ids
from ticketing.stores.sqlite.code_files import ids_file

log = logging.getLogger(__name__)

MANY = 50_000
"""Below this number of tickets, every process reads them from the database."""


def ids_of(rows: Iterable[tuple[str, int]]) -> tuple[Ids, npt.NDArray[np.int64]]:
    """The ids of tickets in ascending order, and their rows int64 [n]."""
    live = array("q")

    def ids() -> Iterator[str]:
        for id, row in rows:
            live.append(row)
            yield id

    return Ids.of(ids()), np.array(live, np.int64)


@dataclass(frozen=True)
class KnownRows:
    """The tickets' ids and rows int64 [n] when a code file had `rows` rows and this many
    `deletions`. `whole` says that the file has not been written since all its rows were compared
    with their checksums."""

    ids: Ids
    live: npt.NDArray[np.int64]
    rows: int
    deletions: int
    whole: bool = True


def read_known(path: Path) -> KnownRows | None:
    """What a process kept for the code file at `path`; None if unusable."""
    try:
        arrays, about = map_arrays(ids_file(path))
        if about["file"] != path.stat().st_ino:
            return None
        ids = Ids(arrays["letters"], arrays["starts"])
        whole = about["written"] == _written(path)
        live = arrays["live"].astype(np.int64)
        return KnownRows(ids, live, about["rows"], about["deletions"], whole)
    except (ArraysError, OSError, KeyError):
        return None


def keep_known(path: Path, known: KnownRows) -> None:
    """Keep what is known of the code file at `path`, whose rows are all intact. If it cannot be
    written, the next process reads all again."""
    arrays: dict[str, np.ndarray] = {
        "letters": known.ids.letters,
        "starts": known.ids.starts,
        "live": known.live.astype(np.uint32),
    }
    about = {"rows": known.rows, "deletions": known.deletions}
    about |= {"file": path.stat().st_ino, "written": _written(path)}
    try:
        write_arrays(ids_file(path), arrays, about)
    except OSError as error:
        log.warning("The next process starts slowly: %s takes no files (%s).", path.parent, error)


def _written(path: Path) -> int:
    """When a file was last written, in ns, and its size in bytes."""
    found = os.stat(path)
    return found.st_mtime_ns ^ found.st_size
