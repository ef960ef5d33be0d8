"""Which row is which ticket's: ids one after the other and, of very many, a file that has them."""

import logging
import os
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Self, overload

import numpy as np
import numpy.typing as npt

from ticketing.arrays import map_arrays, write_arrays
from ticketing.errors import ArraysError
from ticketing.stores.sqlite.code_files import ids_file

log = logging.getLogger(__name__)

MANY = 50_000
"""Fewer tickets are read anew by every process."""


class Ids(Sequence[str]):
    """Ascending ids as UTF-8, one after the other: `letters` uint8, where id i begins at
    `starts[i]` (uint32 [n + 1])."""

    def __init__(self, letters: npt.NDArray[np.uint8], starts: npt.NDArray[np.uint32]):
        self.letters, self.starts = letters, starts

    @classmethod
    def of(cls, ids: Iterable[str]) -> Self:
        """Those of strings."""
        letters, ends = bytearray(), array("I", [0])
        for id in ids:
            letters += id.encode()
            ends.append(len(letters))
        return cls(np.frombuffer(letters, np.uint8), np.array(ends, np.uint32))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        return self.letters[self.starts[place] : self.starts[place + 1]].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        letters = self.letters.tobytes()
        return (letters[a:b].decode() for a, b in pairwise(self.starts.tolist()))

    def merged(
        self, rows: npt.NDArray[np.int64], new: Mapping[str, int]
    ) -> tuple["Ids", npt.NDArray[np.int64]]:
        """These ids, each with its row int64 [n], and new ones with theirs."""
        rows, added = rows.copy(), []
        for id in sorted(new):
            place = bisect_left(self, id)
            if place < len(self) and self[place] == id:
                rows[place] = new[id]
            else:
                added.append((place, id))
        if not added:
            return self, rows
        places = [place for place, _ in added]
        more = Ids.of(id for _, id in added)
        lengths = np.insert(np.diff(self.starts), places, np.diff(more.starts))
        at = np.repeat(self.starts[places].astype(np.int64), np.diff(more.starts))
        starts = np.concatenate([[0], lengths.cumsum()]).astype(np.uint32)
        ids = Ids(np.insert(self.letters, at, more.letters), starts)
        return ids, np.insert(rows, places, [new[id] for _, id in added])


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
    """The tickets' ids and rows int64 [n] as they were when a file of codes had `rows` rows and so
    many `deletions`; `whole` says that nobody wrote to the file since its rows were compared with
    their checksums."""

    ids: Ids
    live: npt.NDArray[np.int64]
    rows: int
    deletions: int
    whole: bool = True


def read_known(path: Path) -> KnownRows | None:
    """What a process kept of the file of codes at `path`; None where that cannot be used."""
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
    """Write what is known of the file of codes at `path`, all of whose rows are whole; where that
    cannot be written, the next process reads all again."""
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
    """When a file was last written: ns, and its bytes."""
    found = os.stat(path)
    return found.st_mtime_ns ^ found.st_size
