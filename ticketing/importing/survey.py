"""A first pass over a file: is it readable to its end, and which columns does it have?"""

from collections.abc import Sized
from dataclasses import dataclass
from pathlib import Path

from ticketing.errors import InputError
from ticketing.limits import COLUMNS
from ticketing.tables import NoUsableRow, Reject, leave_out, read_rows


@dataclass(frozen=True)
class Survey:
    """What a file holds: rows (rejected ones included), columns, and lists of objects.

    `lists` maps a column whose values are lists of objects to the keys of those objects, and
    `repeated` are names that several columns had.
    """

    path: Path
    rows: int
    columns: tuple[str, ...]
    lists: dict[str, tuple[str, ...]]
    repeated: frozenset[str]


def survey(path: Path) -> Survey:
    """Read the whole file once. Raises InputError where it can't be read or holds nothing."""
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
    """Raises InputError where the rows so far name more columns than are allowed."""
    if fault := COLUMNS.fault(len(names)):
        raise InputError(f"{path}:{line} and the rows before it: the table {fault}.")
