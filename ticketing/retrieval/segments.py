"""The index files of a file of codes: one segment for every SEGMENT rows.

Rows of codes never change, so segments do not either. A file that is missing, damaged or belongs to
other rows is derived again.
"""

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from zlib import crc32

import numpy as np
import numpy.typing as npt

from ticketing.arrays import map_arrays, write_arrays
from ticketing.errors import ArraysError
from ticketing.model.layout import CodeLayout
from ticketing.retrieval.postings import Postings, postings_of
from ticketing.retrieval.sketch import Sketcher, fit_sketcher

SEGMENT = 1 << 15
"""Rows per segment."""

PRINTED = 64
"""Number of rows whose checksum identifies the codes of a file."""

FORMAT = 1
"""Format version of the files; increased by each change."""

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Segment:
    """Data derived from S rows of codes: postings, sketches uint8 [S, R * BYTES], patterns of
    present components uint8 [S], and minutes of creation uint32 [S]."""

    postings: Postings
    sketches: npt.NDArray[np.uint8]
    patterns: npt.NDArray[np.uint8]
    minutes: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, codes: npt.NDArray[np.uint8], layout: CodeLayout, sketcher: Sketcher) -> Self:
        """Derive the segment of rows of codes uint8 [S, width]."""
        minutes = layout.minutes(codes, np.arange(len(codes))).astype(np.uint32)
        sketches = sketcher.of_rows(codes)
        return cls(postings_of(codes, layout), sketches, codes[:, -1].copy(), minutes)


class Derived:
    """The segments of a file of codes that are known so far, without a gap, and the sketcher that
    was fitted to the first one. `path` is their folder."""

    def __init__(self, path: Path, layout: CodeLayout, channel_weights: npt.NDArray[np.float32]):
        self.path = path
        self.segments: tuple[Segment, ...] = ()
        self.sketcher: Sketcher | None = None
        self._layout, self._weights = layout, channel_weights
        self._taking = threading.Lock()

    def lacks(self, codes: npt.NDArray[np.uint8]) -> bool:
        """Whether the codes have rows for another segment."""
        return len(self.segments) < len(codes) // SEGMENT

    def read(self, codes: npt.NDArray[np.uint8]) -> None:
        """Memory-map the segments on disk, up to the first that is missing, damaged or of other
        codes."""
        while self.lacks(codes):
            number = len(self.segments)
            found = self._found(codes, number)
            if found is None:
                return
            self._take(number, *found)

    def make_next(self, codes: npt.NDArray[np.uint8]) -> None:
        """Derive one more segment and write it atomically; it is not written if the folder is gone.
        Raises OSError."""
        number = len(self.segments)
        rows = _rows(codes, number)
        sketcher = self.sketcher or fit_sketcher(rows, self._layout, self._weights)
        segment = Segment.of(rows, self._layout, sketcher)
        arrays = {**vars(segment.postings), **vars(segment), **vars(sketcher)}
        del arrays["postings"]
        if self.path.is_dir():  # else the codes were dropped
            write_arrays(self._file(number), arrays, _about(rows, arrays))
        self._take(number, segment, sketcher)

    def damaged(self, codes: npt.NDArray[np.uint8]) -> list[Path]:
        """Existing files that do not fit these codes."""
        self.read(codes)
        numbers = range(len(self.segments), len(codes) // SEGMENT)
        whole = {self._file(number) for number in range(len(self.segments))}
        whole |= {self._file(number) for number in numbers if self._found(codes, number)}
        return sorted(set(self.path.glob("*.safetensors")) - whole)

    def _found(self, codes: npt.NDArray[np.uint8], number: int) -> tuple[Segment, Sketcher] | None:
        try:
            arrays, about = map_arrays(self._file(number))
        except ArraysError:
            return None
        if about != _about(_rows(codes, number), arrays):
            return None
        sketcher = Sketcher(*(arrays.pop(name) for name in Sketcher.__dataclass_fields__))
        if self.sketcher and not np.array_equal(sketcher.axes, self.sketcher.axes):
            return None
        postings = Postings(*(arrays.pop(name) for name in Postings.__dataclass_fields__))
        return Segment(postings, **arrays), sketcher

    def _file(self, number: int) -> Path:
        return self.path / f"{number}.safetensors"

    def _take(self, number: int, segment: Segment, sketcher: Sketcher) -> None:
        with self._taking:
            if number == len(self.segments):
                self.sketcher = sketcher
                self.segments = *self.segments, segment


def _rows(codes: npt.NDArray[np.uint8], number: int) -> npt.NDArray[np.uint8]:
    return np.asarray(codes[number * SEGMENT : (number + 1) * SEGMENT])


def _about(rows: npt.NDArray[np.uint8], arrays: Arrays) -> dict[str, Any]:
    """Metadata that identify a file as complete and derived from these rows."""
    content = 0
    for name in sorted(arrays):
        content = crc32(np.ascontiguousarray(arrays[name]).data, content)
    printed = crc32(np.ascontiguousarray(rows[:: SEGMENT // PRINTED]).data)
    return {"format": FORMAT, "rows": printed, "content": content}
