"""The bytes of codes: files of rows of one width, written at the end and never in place.

A file may be longer than the rows the database counts (a writer died before it
committed); the next writer overwrites that end. Where rows were lost or changed, the
checksums that the database keeps no longer hold.
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
    """Where the rows of a file of codes lie in the folder of a store."""
    return folder / "codes" / f"{number}.bin"


def derived_folder(path: Path) -> Path:
    """Where what is derived of a file's rows lies, as the scan's index puts it."""
    return path.with_suffix("")


def ids_file(path: Path) -> Path:
    """Where a process keeps which row of a file is whose, for the next one."""
    return path.with_suffix(".ids")


def filters_file(path: Path) -> Path:
    """Where a process keeps what filters ask of a file's rows, for the next one."""
    return path.with_suffix(".filters")


def remove_codes(path: Path) -> None:
    """Delete a file of codes, and what is derived of it."""
    path.unlink(missing_ok=True)
    remove_known(path)
    shutil.rmtree(derived_folder(path), ignore_errors=True)


def remove_known(path: Path) -> None:
    """Delete what processes keep of a file of codes for the next one."""
    for kept in (ids_file(path), filters_file(path)):
        kept.unlink(missing_ok=True)


def write_rows(path: Path, offset: int, rows: bytes) -> None:
    """Write whole rows at `offset`, the committed end in bytes, and wait for the disk.

    Raises OSError when the disk refuses.
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
    """A read-only memory map uint8 [rows, width], of fewer rows where the file has lost some."""
    kept = min(rows, path.stat().st_size // width if path.exists() else 0)
    if not kept:
        return np.empty((0, width), np.uint8)
    mapped = np.memmap(path, np.uint8, "r", shape=(kept, width))
    return np.asarray(mapped)  # whose views are plain arrays as well, made in less time


def damaged_rows(
    codes: npt.NDArray[np.uint8], checksums: Iterable[tuple[int, int | None]]
) -> set[int]:
    """Which rows, each given with its checksum, are lost or no longer as they were."""
    rows = np.asarray(codes)  # a row of a memory map costs more to make than to check
    return {
        row
        for row, checksum in checksums
        if not 0 <= row < len(rows) or crc32(rows[row]) != checksum
    }


def checksum_in(folder: Path) -> Callable[[int, int, int], int | None]:
    """A function that gives the checksum of a row, by file, width and row; None for a lost one."""

    @cache
    def rows_of(number: int, width: int) -> npt.NDArray[np.uint8]:
        path = code_file(folder, number)
        return map_rows(path, path.stat().st_size if path.exists() else 0, width)

    def checksum(number: int, width: int, row: int) -> int | None:
        codes = rows_of(number, width)
        return crc32(codes[row]) if row < len(codes) else None

    return checksum
