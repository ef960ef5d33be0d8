"""Code files: rows of one width, only appended and never changed in place.

A file may be longer than the number of rows in the database, if a writer died before its commit;
the next writer overwrites that end. Lost or changed rows are found by the checksums in the
database.
"""

import os
import shutil
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt

from ticketing.files import sync_folder


def code_file(folder: Path, number: int) -> Path:
    """The path of a code file in the folder of a store."""
    return folder / "codes" / f"{number}.bin"


def derived_folder(path: Path) -> Path:
    """The folder of data derived from a file's rows, such as the scan's index."""
    return path.with_suffix("")


def ids_file(path: Path) -> Path:
    """The file in which a process keeps, for the next one, which row belongs to which ticket."""
    return path.with_suffix(".ids")


def filters_file(path: Path) -> Path:
    """The file in which a process keeps the filter columns of a code file for the next one."""
    return path.with_suffix(".filters")


def remove_codes(path: Path) -> None:
    """Delete a code file and all data derived from it."""
    path.unlink(missing_ok=True)
    remove_known(path)
    shutil.rmtree(derived_folder(path), ignore_errors=True)


def remove_known(path: Path) -> None:
    """Delete what processes have kept about a code file for the next one."""
    for kept in (ids_file(path), filters_file(path)):
        kept.unlink(missing_ok=True)


def write_rows(path: Path, offset: int, rows: bytes) -> None:
    """Write complete rows at `offset`, the committed end in bytes, and sync to disk.

    Raises OSError if the disk fails.
    """
    is_new = not path.exists()
    path.parent.mkdir(exist_ok=True)
    with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        file.seek(offset)
        file.write(rows)
        file.flush()
        os.fsync(file.fileno())
    if is_new:
        sync_folder(path.parent)


def map_rows(path: Path, rows: int, width: int) -> npt.NDArray[np.uint8]:
    """A read-only memory map uint8 [rows, width]; fewer rows if the file has lost some."""
    kept = min(rows, path.stat().st_size // width if path.exists() else 0)
    if not kept:
        return np.empty((0, width), np.uint8)
    mapped = np.memmap(path, np.uint8, "r", shape=(kept, width))
    return np.asarray(mapped)  # views of plain arrays are made faster


def damaged_rows(
    codes: npt.NDArray[np.uint8], checksums: Iterable[tuple[int, int | None]]
) -> set[int]:
    """The rows, given with their checksums, that are lost or changed."""
    rows = np.asarray(codes)  # slicing a memory map is slower than a CRC
    return {
        row
        for row, checksum in checksums
        if not 0 <= row < len(rows) or crc32(rows[row]) != checksum
    }


def checksum_in(folder: Path) -> Callable[[int, int, int], int | None]:
    """A function that returns the checksum of a row, by file, width and row; None for a lost
    one."""

    @cache
    def rows_of(number: int, width: int) -> npt.NDArray[np.uint8]:
        path = code_file(folder, number)
        return map_rows(path, path.stat().st_size if path.exists() else 0, width)

    def checksum(number: int, width: int, row: int) -> int | None:
        codes = rows_of(number, width)
        return crc32(codes[row]) if row < len(codes) else None

    return checksum
