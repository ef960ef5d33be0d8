"""Many ids in one array: a few bytes per id beside its own characters."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Self, overload

import numpy as np
import numpy.typing as npt


class Ids(Sequence[str]):
    """Ids as concatenated UTF-8: `letters` is uint8, and id i begins at `starts[i]` (uint32 [n +
    1]). The ids are in ascending order unless a method says otherwise."""

    def __init__(self, letters: npt.NDArray[np.uint8], starts: npt.NDArray[np.uint32]):
        self.letters, self.starts = letters, starts

    @classmethod
    def of(cls, ids: Iterable[str]) -> Self:
        """Make `Ids` of strings."""
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

    def at(self, places: npt.NDArray[np.int64]) -> list[str]:
        """The ids at the given places, int64 [n]."""
        letters = self.letters.data
        spans = zip(self.starts[places].tolist(), self.starts[places + 1].tolist(), strict=True)
        return [str(letters[first:end], "utf-8") for first, end in spans]

    def place(self, id: str) -> int | None:
        """The place of an id, or None if it is missing."""
        place = bisect_left(self, id)
        return place if place < len(self) and self[place] == id else None

    def in_order(self) -> tuple["Ids", npt.NDArray[np.int64]]:
        """The ids sorted (they may be in any order here), and the former place of each, int64
        [n]."""
        if all(one < other for one, other in pairwise(self)):
            return self, np.arange(len(self))
        ids = [*self]
        order = sorted(range(len(ids)), key=ids.__getitem__)
        return Ids.of(ids[place] for place in order), np.array(order, np.int64)

    def merged(
        self, rows: npt.NDArray[np.int64], new: Mapping[str, int]
    ) -> tuple["Ids", npt.NDArray[np.int64]]:
        """Insert new ids with their rows. `rows` int64 [n] are the rows of the present ids; an id
        of `new` that is already present gets the new row."""
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
