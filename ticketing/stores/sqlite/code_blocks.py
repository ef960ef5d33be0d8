"""Cached state of each bundle's codes in a process: which rows are intact, and blocks of them.

For large archives, a file beside the codes keeps which row belongs to which ticket and that all
rows were intact, so that a new process need not read all rows.
"""

import logging
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from sqlite3 import Connection

import numpy as np
import numpy.typing as npt

from ticketing.errors import StoreError
from ticketing.stores.blocks import ChosenIds, CodeBlock
from ticketing.stores.sqlite.code_files import (
    code_file,
    damaged_rows,
    derived_folder,
    map_rows,
)
from ticketing.stores.sqlite.code_filters import (
    EMPTY,
    FilterColumns,
    keep_columns,
    read_columns,
)
from ticketing.stores.sqlite.code_ids import (
    MANY,
    KnownRows,
    ids_of,
    keep_known,
    read_known,
)
from ticketing.stores.sqlite.tickets import where
from ticketing.tickets import Filters

log = logging.getLogger(__name__)

MOST_MERGED = 1 << 12
"""Maximum number of new rows that are merged into the known ones; if there are more, all are read
again."""

MOST_KEPT = 16
"""Number of blocks kept in memory, each of a bundle for some groups."""

_EMPTY = CodeBlock(np.empty((0, 0), np.uint8), np.empty(0, np.int64), ())


@dataclass(frozen=True)
class CodeFile:
    """A row of the table `code_files`: `rows` are committed. `deletions` counts deletions of
    tickets in it and changes of their groups."""

    number: int
    width: int
    rows: int
    deletions: int


@dataclass(frozen=True)
class CheckedFile:
    """The mapped rows of a file (fewer than committed if some were lost), and which of the
    committed rows are damaged."""

    file: CodeFile
    codes: npt.NDArray[np.uint8]
    damaged: frozenset[int]


@dataclass(frozen=True)
class KeptBlock:
    """What is known about a file's rows for some groups, and the resulting block."""

    file: CodeFile
    known: KnownRows
    block: CodeBlock

    def narrowed(self, passing: npt.NDArray[np.bool_]) -> CodeBlock:
        """The codes of those tickets whose rows pass more filters: bool [rows]."""
        places = np.flatnonzero(passing[self.block.live])
        return replace(self.block.chosen(places), of=None)


class SeenCodes:
    """The codes in a store's folder; after the first time only changes are read.

    Each row is compared with its checksum once, at its first use. A block is kept for each of the
    last sets of groups that were asked for. Reading one bundle does not block others.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._checked: dict[str, CheckedFile] = {}
        self._blocks: dict[tuple[str, Filters], KeptBlock] = {}
        self._columns: dict[str, tuple[CodeFile, FilterColumns]] = {}
        self._looking: dict[str, threading.Lock] = defaultdict(threading.Lock)
        self._keeping = threading.Lock()

    def path(self, file: CodeFile) -> Path:
        """The path of a file's rows."""
        return code_file(self._folder, file.number)

    def checked(self, connection: Connection, bundle_id: str) -> CheckedFile | None:
        """A bundle's file as it is now; None if it has no codes."""
        with self._looking[bundle_id]:
            return self._check(connection, bundle_id)

    def block(self, connection: Connection, bundle_id: str, filters: Filters) -> CodeBlock:
        """The codes of matching tickets as they are now.

        Raises StoreError if the file has lost all rows.
        """
        whole = Filters(groups=filters.groups)
        with self._looking[bundle_id]:
            kept = self._kept_block(connection, bundle_id, whole)
            if kept is None:
                return _EMPTY
            if filters == whole:
                return kept.block
            columns = self._columns_now(connection, bundle_id, kept.file)
        return kept.narrowed(columns.passing(filters))

    def forget(self) -> None:
        """Drop all cached files."""
        self._checked.clear()
        self._blocks.clear()
        self._columns.clear()

    def _check(self, connection: Connection, bundle_id: str) -> CheckedFile | None:
        file, seen = file_of(connection, bundle_id), self._checked.pop(bundle_id, None)
        if file is None:
            return None
        if seen and not len(seen.codes) and self.path(file).exists():
            seen = None  # the file was missing, as on an unmounted drive, and is back
        if seen is None or seen.file != file:
            if seen is None or seen.file.number != file.number:
                seen = self._trusted(file)
            codes = map_rows(self.path(file), file.rows, file.width)
            checksums = connection.execute(
                "SELECT row, checksum FROM codes WHERE file = ? AND row >= ? ORDER BY row",
                (file.number, seen.file.rows),
            )
            seen = CheckedFile(file, codes, seen.damaged | damaged_rows(codes, checksums))
        self._checked[bundle_id] = seen
        return seen

    def _trusted(self, file: CodeFile) -> CheckedFile:
        """The rows of a file that another process has verified and nobody has written since;
        otherwise none."""
        known = read_known(self.path(file))
        rows = known.rows if known and known.whole and known.rows <= file.rows else 0
        return CheckedFile(replace(file, rows=rows), _EMPTY.codes, frozenset())

    def _kept_block(
        self, connection: Connection, bundle_id: str, filters: Filters
    ) -> KeptBlock | None:
        """The block for filters of groups only, if there is anything."""
        found, key = self._check(connection, bundle_id), (bundle_id, filters)
        kept = self._blocks.pop(key, None)
        if found is None:
            return None
        if kept is None or kept.file != found.file:
            of_file = kept if kept and kept.file.number == found.file.number else None
            kept = self._look(connection, found, filters, of_file)
        with self._keeping:
            if len(self._blocks) == MOST_KEPT:
                del self._blocks[next(iter(self._blocks))]  # the least recently used one
            self._blocks[key] = kept
        return kept

    def _columns_now(self, connection: Connection, bundle_id: str, file: CodeFile) -> FilterColumns:
        """The filter columns of a file's rows, as the database has them now."""
        of, before = self._columns.get(bundle_id, (None, EMPTY))
        if of is None or of.number != file.number:
            before = read_columns(self.path(file), file.rows)
        columns = before.now(connection, file.number, file.rows)
        if file.rows >= MANY and columns.news_since(before) > MOST_MERGED:
            keep_columns(self.path(file), columns)
        self._columns[bundle_id] = file, columns
        return columns

    def _look(
        self,
        connection: Connection,
        found: CheckedFile,
        filters: Filters,
        kept: KeptBlock | None,
    ) -> KeptBlock:
        """Each ticket's row now. Only new rows are read, unless tickets were deleted or their
        groups changed. Raises StoreError if the file has lost all rows."""
        file, path, of_all = found.file, self.path(found.file), filters == Filters()
        before = read_known(path) if of_all else None
        known = _now(connection, file, filters, kept.known if kept else before)
        if len(known.live) and not len(found.codes):
            raise StoreError(
                f"{path} has lost all codes that the database counts; run"
                " `ticketing check --repair`."
            )
        if of_all and len(known.ids) >= MANY and not found.damaged:
            begun = kept is None and not (before and before.whole)
            if begun or _is_outdated(before, known):
                keep_known(path, known)
        return KeptBlock(file, known, _block(known, found, derived_folder(path)))


def file_of(connection: Connection, bundle_id: str) -> CodeFile | None:
    """The record of a bundle's file."""
    row = connection.execute(
        "SELECT number, width, rows, deletions FROM code_files WHERE bundle_id = ?", (bundle_id,)
    ).fetchone()
    return CodeFile(*row) if row else None


def _now(
    connection: Connection, file: CodeFile, filters: Filters, known: KnownRows | None
) -> KnownRows:
    """Update what is known of a file's rows from the database."""
    condition, values = where(filters)
    if known and known.deletions == file.deletions and known.rows <= file.rows:
        later = f"codes.row >= ? AND {condition}"
        new = dict(_rows(connection, file, later, known.rows, *values))
        if len(new) <= MOST_MERGED:
            return KnownRows(*known.ids.merged(known.live, new), file.rows, file.deletions)
    found = ids_of(_rows(connection, file, condition, *values))
    return KnownRows(*found, file.rows, file.deletions)


def _is_outdated(before: KnownRows | None, known: KnownRows) -> bool:
    """Whether the data kept for the next process differ much from what is known now."""
    if before is None or before.deletions != known.deletions:
        return True
    return known.rows - before.rows > MOST_MERGED


def _block(known: KnownRows, found: CheckedFile, folder: Path) -> CodeBlock:
    """A block of those known rows that are intact."""
    ids: Sequence[str] = known.ids
    live = known.live
    if found.damaged:
        places = np.flatnonzero(~np.isin(live, list(found.damaged)))
        ids, live = ChosenIds(ids, places), live[places]
    live.setflags(write=False)
    return CodeBlock(found.codes, live, ids, folder=folder)


def _rows(
    connection: Connection, file: CodeFile, condition: str, *values: object
) -> Iterator[tuple[str, int]]:
    """The row of each matching ticket in the file, in ascending order of id."""
    return connection.execute(
        "SELECT id, row FROM codes JOIN tickets ON pk = ticket"
        f" WHERE file = ? AND {condition} ORDER BY id",
        (file.number, *values),
    )
