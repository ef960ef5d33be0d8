"""A first pass over a file: is it readable to its end, and which columns does it have?"""

from dataclasses import dataclass
from pathlib import Path

from ticketing.errors import InputError
from ticketing.tables import Reject, read_rows


@dataclass(frozen=True)
class Survey:
    """What a file holds: rows (rejected ones included), columns, and lists of objects.

    `lists` maps a column whose values are lists of objects to the keys of those objects.
    """

    path: Path
    rows: int
    columns: tuple[str, ...]
    lists: dict[str, tuple[str, ...]]


def survey(path: Path) -> Survey:
    """Read the whole file once. Raises InputError where it can't be read or holds nothing."""
    rows = 0
    columns: dict[str, None] = {}
    lists: dict[str, dict[str, None]] = {}
    for row in read_rows(path):
        rows += 1
        if isinstance(row, Reject):
            continue
        columns.update(dict.fromkeys(row.values))
        for name, value in row.values.items():
            if isinstance(value, list):
                for item in value:
                    if isinstance(item, dict):
                        lists.setdefault(name, {}).update(dict.fromkeys(item))
    if not columns:
        raise InputError(f"{path} holds no usable row.")
    return Survey(path, rows, tuple(columns), {name: tuple(keys) for name, keys in lists.items()})
