"""Filter columns: filter values of the tickets in a code file, as arrays by row, updated
incrementally.

A row belongs to one ticket as long as it is used. So only new rows, and rows of tickets whose
filter values have changed, are read again.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from sqlite3 import Connection

import numpy as np
import numpy.typing as npt

from ticketing.arrays import map_arrays, write_arrays
from ticketing.errors import ArraysError
from ticketing.stores.blocks import passing
from ticketing.stores.sqlite.code_files import filters_file
from ticketing.tickets import Filters

log = logging.getLogger(__name__)

PAGE = 1 << 16
"""Rows held in memory while they are read."""

_READ = "SELECT row, product, status, created, has_solution"
_NEW = f"""{_READ} FROM codes JOIN tickets ON pk = ticket
    WHERE file = ? AND row >= ? AND row < ?"""
_CHANGED = f"""{_READ} FROM filter_changes
    CROSS JOIN codes USING (ticket) CROSS JOIN tickets ON pk = ticket
    WHERE number > ? AND file = ? AND row >= 0 AND row < ?"""


@dataclass(frozen=True)
class FilterColumns:
    """For each row of a file: its ticket's product and status as indices into `texts`, uint32
    [rows], its creation date, datetime64 [rows], NaT if unknown, and whether it has a solution,
    bool [rows]. `change` is the number of the last change that is included."""

    texts: tuple[str, ...]
    product: npt.NDArray[np.uint32]
    status: npt.NDArray[np.uint32]
    created: npt.NDArray[np.datetime64]
    has_solution: npt.NDArray[np.bool_]
    change: int

    def passing(self, filters: Filters) -> npt.NDArray[np.bool_]:
        """Which rows pass the filters, except groups: bool [rows]."""
        return passing(filters, vars(self), self._number_of)

    def now(self, connection: Connection, file: int, rows: int) -> "FilterColumns":
        """The columns updated from the database, for this many rows."""
        known, columns = len(self.product), self._of_rows(rows)
        new = connection.execute(_NEW, (file, known, rows))
        [(last,)] = connection.execute("SELECT coalesce(max(number), 0) FROM filter_changes")
        changed = connection.execute(_CHANGED, (self.change, file, rows))
        for found in new, changed:
            while page := found.fetchmany(PAGE):
                columns = columns.having(page)
        return replace(columns, change=last)

    def news_since(self, before: "FilterColumns") -> int:
        """An upper bound of the number of rows and changes that are new relative to earlier
        columns."""
        return len(self.product) - len(before.product) + self.change - before.change

    def _number_of(self, text: str) -> int:
        return self.texts.index(text) if text in self.texts else len(self.texts)

    def _of_rows(self, rows: int) -> "FilterColumns":
        """The columns extended to this many rows; nothing is known yet of the new ones."""
        if rows == len(self.product):
            return self
        new = rows - len(self.product)
        none, undated = np.zeros(new, np.uint32), np.full(new, "NaT", self.created.dtype)
        return replace(
            self,
            product=np.concatenate([self.product, none]),
            status=np.concatenate([self.status, none]),
            created=np.concatenate([self.created, undated]),
            has_solution=np.concatenate([self.has_solution, np.zeros(new, bool)]),
        )

    def having(self, page: Sequence[tuple[int, str, str, str | None, int]]) -> "FilterColumns":
        """The columns with new values of some rows."""
        numbers = {text: number for number, text in enumerate(self.texts)}
        at, products, statuses, dates, solutions = zip(*page, strict=True)
        rows = list(at)
        product, status, created = self.product.copy(), self.status.copy(), self.created.copy()
        has_solution = self.has_solution.copy()
        product[rows] = [numbers.setdefault(text, len(numbers)) for text in products]
        status[rows] = [numbers.setdefault(text, len(numbers)) for text in statuses]
        created[rows] = np.array(dates, created.dtype)
        has_solution[rows] = solutions
        texts = tuple(numbers)
        return FilterColumns(texts, product, status, created, has_solution, self.change)


_NONE = np.empty(0, np.uint32)
EMPTY = FilterColumns(("",), _NONE, _NONE, np.empty(0, "datetime64[us]"), np.empty(0, np.bool_), 0)
"""Columns without rows."""


def read_columns(path: Path, rows: int) -> FilterColumns:
    """Columns that a process kept for the code file at `path`, which has this many rows; EMPTY if
    unusable."""
    try:
        arrays, about = map_arrays(filters_file(path))
        if about["file"] != path.stat().st_ino or len(arrays["product"]) > rows:
            return EMPTY
        return FilterColumns(
            tuple(about["texts"]),
            arrays["product"],
            arrays["status"],
            arrays["created"].view("datetime64[us]"),
            arrays["has_solution"],
            about["change"],
        )
    except (ArraysError, OSError, KeyError):
        return EMPTY


def keep_columns(path: Path, columns: FilterColumns) -> None:
    """Keep the columns of the code file at `path`. If they cannot be written, the next process
    reads all again."""
    arrays: dict[str, np.ndarray] = {
        "product": columns.product,
        "status": columns.status,
        "created": columns.created.view(np.int64),
        "has_solution": columns.has_solution,
    }
    about = {"texts": columns.texts, "change": columns.change, "file": path.stat().st_ino}
    try:
        write_arrays(filters_file(path), arrays, about)
    except OSError as error:
        log.warning("The next filter is slow at first: %s takes no files (%s).", path, error)
