"""What a process last saw of each bundle's codes: which rows are whole, and blocks of them."""

import threading
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Connection

import numpy as np
import numpy.typing as npt

from ticketing.errors import StoreError
from ticketing.stores.protocols import CodeBlock
from ticketing.stores.sqlite.code_files import (
    code_file,
    damaged_rows,
    derived_folder,
    map_rows,
)
from ticketing.stores.sqlite.tickets import where
from ticketing.tickets import Filters

MOST_KEPT = 16
"""Blocks kept in memory, each of a bundle for some groups."""

_EMPTY = CodeBlock(np.empty((0, 0), np.uint8), np.empty(0, np.int64), ())


@dataclass(frozen=True)
class CodeFile:
    """A row of `code_files`: `rows` are committed; `deletions` counts deletes of tickets in it, and
    changes of their groups."""

    number: int
    width: int
    rows: int
    deletions: int


@dataclass(frozen=True)
class CheckedFile:
    """The rows of a file, fewer than were committed where it has lost some, and which of those that
    were committed are damaged."""

    file: CodeFile
    codes: npt.NDArray[np.uint8]
    damaged: frozenset[int]


class SeenCodes:
    """The codes in a store's folder, read once and then only where they changed.

    Each row is compared with its checksum once, when it is first seen. A block is kept for each of
    the last sets of groups that asked. While a bundle is read, others are not waited for.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._checked: dict[str, CheckedFile] = {}
        self._blocks: dict[tuple[str, Filters], tuple[CodeFile, CodeBlock]] = {}
        self._looking: dict[str, threading.Lock] = defaultdict(threading.Lock)
        self._keeping = threading.Lock()

    def path(self, file: CodeFile) -> Path:
        """Where a file's rows are."""
        return code_file(self._folder, file.number)

    def checked(self, connection: Connection, bundle_id: str) -> CheckedFile | None:
        """A bundle's file as it is now; None where it has no codes."""
        with self._looking[bundle_id]:
            return self._check(connection, bundle_id)

    def block(self, connection: Connection, bundle_id: str, filters: Filters) -> CodeBlock:
        """The codes of matching tickets as they are now.

        Raises StoreError where the file has lost every row.
        """
        if filters == Filters(groups=filters.groups):
            with self._looking[bundle_id]:
                return self._kept_block(connection, bundle_id, filters)
        found = self.checked(connection, bundle_id)
        if found is None:
            return _EMPTY
        condition, values = where(filters)
        return self._block(_rows(connection, found.file, condition, *values), found)

    def forget(self) -> None:
        """Let go of all files."""
        self._checked.clear()
        self._blocks.clear()

    def _check(self, connection: Connection, bundle_id: str) -> CheckedFile | None:
        file, seen = file_of(connection, bundle_id), self._checked.pop(bundle_id, None)
        if file is None:
            return None
        if seen is None or seen.file != file:
            if seen and seen.file.number != file.number:
                seen = None
            codes = map_rows(self.path(file), file.rows, file.width)
            checksums = connection.execute(
                "SELECT row, checksum FROM codes WHERE file = ? AND row >= ?",
                (file.number, seen.file.rows if seen else 0),
            )
            damaged = seen.damaged if seen else frozenset()
            seen = CheckedFile(file, codes, damaged | damaged_rows(codes, sorted(checksums)))
        self._checked[bundle_id] = seen
        return seen

    def _kept_block(self, connection: Connection, bundle_id: str, filters: Filters) -> CodeBlock:
        """The block under filters that name groups alone, if anything."""
        found, key = self._check(connection, bundle_id), (bundle_id, filters)
        kept = self._blocks.pop(key, None)
        if found is None:
            return _EMPTY
        if kept is None or kept[0] != found.file:
            kept = found.file, self._block(_look(connection, found.file, filters, kept), found)
        with self._keeping:
            if len(self._blocks) == MOST_KEPT:
                del self._blocks[next(iter(self._blocks))]  # the one that was asked for longest ago
            self._blocks[key] = kept
        return kept[1]

    def _block(self, row_of: dict[str, int], found: CheckedFile) -> CodeBlock:
        if row_of and not len(found.codes):
            raise StoreError(
                f"{self.path(found.file)} has lost all codes that the database counts; run"
                " `ticketing check --repair`."
            )
        if found.damaged:
            row_of = {id: row for id, row in row_of.items() if row not in found.damaged}
        live = np.fromiter(row_of.values(), np.int64, len(row_of))
        live.setflags(write=False)
        folder = derived_folder(self.path(found.file))
        return CodeBlock(found.codes, live, tuple(row_of), folder=folder)


def file_of(connection: Connection, bundle_id: str) -> CodeFile | None:
    """The record of a bundle's file."""
    row = connection.execute(
        "SELECT number, width, rows, deletions FROM code_files WHERE bundle_id = ?", (bundle_id,)
    ).fetchone()
    return CodeFile(*row) if row else None


def _look(
    connection: Connection,
    file: CodeFile,
    filters: Filters,
    kept: tuple[CodeFile, CodeBlock] | None,
) -> dict[str, int]:
    """Each ticket's row now; only rows past those kept are read, unless tickets were deleted or
    have other groups."""
    condition, values = where(filters)
    if kept is None or (kept[0].number, kept[0].deletions) != (file.number, file.deletions):
        return _rows(connection, file, condition, *values)
    old, block = kept
    merged = dict(zip(block.ids, block.live.tolist(), strict=True))
    merged |= _rows(connection, file, f"codes.row >= ? AND {condition}", old.rows, *values)
    return {id: merged[id] for id in sorted(merged)}


def _rows(
    connection: Connection, file: CodeFile, condition: str, *values: object
) -> dict[str, int]:
    """Each matching ticket's row in the file, in ascending id order."""
    return dict(
        connection.execute(
            "SELECT id, row FROM codes JOIN tickets ON pk = ticket"
            f" WHERE file = ? AND {condition} ORDER BY id",
            (file.number, *values),
        )
    )
