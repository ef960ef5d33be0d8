"""A first pass over a file: checks that it is readable, and finds its columns."""

from collections.abc import Sized
from dataclasses import dataclass
from pathlib import Path

from ticketing.errors import InputError
from ticketing.limits import COLUMNS
from ticketing.tables import NoUsableRow, Reject, leave_out, read_rows


@dataclass(frozen=True)
class Survey:
    """What a file contains: number of rows (with rejected ones), columns, and lists of objects.

    `lists` maps each column whose values are lists of objects to the keys of those objects.
    `repeated` are names of several columns.
    """

    path: Path
    rows: int
    columns: tuple[str, ...]
    lists: dict[str, tuple[str, ...]]
    repeated: frozenset[str]


def survey(path: Path) -> Survey:
    """Read the whole file once. Raises InputError if it cannot be read or is empty."""
    rows = 0
    rejects: list[Reject] = []
    columns: dict[str, None] = {}
    lists: dict[str, dict[str, None]] = {}
    repeated: frozenset[str] = frozenset()
    for row in read_rows(path):
        rows += 1
        if isinstance(row, Reject):
            if not columns:
                leave_out(row, rejects)
            continue
        columns.update(dict.fromkeys(row.values))
        repeated = row.repeated
        _require_few(columns, path, row.line)
        for name, value in row.values.items():
            if isinstance(value, list):
                for item in value:
                    if isinstance(item, dict):
                        keys = lists.setdefault(name, {})
                        keys.update(dict.fromkeys(item))
                        _require_few(keys, path, row.line)
    if not columns:
        raise NoUsableRow(path, rejects)
    keys_of = {name: tuple(keys) for name, keys in lists.items()}
    return Survey(path, rows, tuple(columns), keys_of, repeated)


def _require_few(names: Sized, path: Path, line: int) -> None:
    """Raises InputError if the rows so far have more columns than allowed."""
    if fault := COLUMNS.fault(len(names)):
        raise InputError(f"{path}:{line} and the rows before it: the table {fault}.")
