"""The bytes of codes: files of rows of one width, written at the end and never in place.

A file may be longer than the rows the database counts (a writer died before it
committed); the next writer overwrites that end. It may never be shorter.
"""

import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ticketing.errors import StoreError


def write_rows(path: Path, offset: int, rows: bytes) -> None:
    """Write whole rows at `offset`, the committed end in bytes, and wait for the disk.

    Raises StoreError when committed rows are missing, OSError when the disk refuses.
    """
    is_new = not path.exists()
    path.parent.mkdir(exist_ok=True)
    with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        _require(path, os.fstat(file.fileno()).st_size, offset)
        file.seek(offset)
        file.write(rows)
        file.flush()
        os.fsync(file.fileno())
    if is_new:
        _sync_folder(path.parent)


def map_rows(path: Path, rows: int, width: int) -> npt.NDArray[np.uint8]:
    """A read-only memory map uint8 [rows, width]; raises StoreError when rows are missing."""
    _require(path, path.stat().st_size if path.exists() else 0, rows * width)
    return np.memmap(path, np.uint8, "r", shape=(rows, width))


def _require(path: Path, size: int, expected: int) -> None:
    if size < expected:
        raise StoreError(
            f"{path} holds {size} bytes of codes where the database counts {expected};"
            " restore it, or drop the bundle's codes and reindex."
        )


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
