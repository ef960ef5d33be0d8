"""The header of a table: the names of its columns, and the separator of a CSV or TSV file."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from ticketing.errors import InputError
from ticketing.limits import COLUMNS, HEADER

_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_OPENED = re.compile(r'(?<![^,;\t|])"')
_QUOTED = re.compile(_OPENED.pattern + r'[^"]*+(?>(?:""[^"]*+)*)"')
"""A quoted name. Quotes count at the beginning of a cell and are plain text inside one. The pattern
does not backtrack, so it takes linear time."""
_LINE_END = re.compile(r"[\r\n]")

_SEPARATOR = re.compile(r"sep=([,;\t|])\s*", re.IGNORECASE)
"""The line `sep=;` that Excel writes before the header."""


@dataclass(frozen=True)
class Header:
    """The columns of a file in order, with unique names; "" is a column without a name.

    Columns that share a name are numbered ("Comment 1", "Comment 2"); `repeated` holds such names.
    `end` is the number of the header's last line, and `rest` are the lines after it.
    """

    names: list[str]
    repeated: frozenset[str]
    delimiter: str
    end: int
    rest: Iterator[str]


def read_header(lines: Iterator[str], path: Path, separators: str) -> Header:
    """Read the header from the first lines. The delimiter is the one of `separators` that occurs
    most often outside quotes.

    Raises InputError for a missing, malformed or too long header.
    """
    first, start = next(lines, ""), 1
    if not first.strip():
        raise InputError(f"{path} has no header in its first line.")
    if said := _SEPARATOR.fullmatch(first):
        first, start, separators = next(lines, ""), 2, said[1]
    where = f"{path}:{start}"
    if fault := HEADER.fault(len(first)):
        raise InputError(f"{where} {fault}.")
    read, are_closed = _until_quotes_close(first, lines)
    header = read if are_closed else [first]
    delimiter = max(separators, key=_QUOTED.sub("", "".join(header)).count)
    cells, taken = _cells(header, delimiter, where)
    names, repeated = unique_names(cells, where)
    rest = chain(read[taken:], lines)
    return Header(names, repeated, delimiter, start + taken - 1, rest)


def unique_names(cells: list[str], where: str) -> tuple[list[str], frozenset[str]]:
    """The columns' names, from the cells of a header, and those that several cells hold: they are
    numbered, and line ends within them are blanks. Raises InputError for too many columns."""
    if fault := COLUMNS.fault(len(cells)):
        raise InputError(f"{where} {fault}.")
    parts = (map(str.strip, _LINE_END.split(cell)) for cell in cells)
    names = [" ".join(filter(None, each)) for each in parts]
    times = Counter(filter(None, names))
    repeated = frozenset(name for name in times if times[name] > 1)
    return _numbered(names, repeated), repeated


def guess_column(usual: str, columns: Iterable[str]) -> str:
    """The column with the first of the usual names that occurs, or "". If several columns have that
    name in different cases, the one with the same case, else the first."""
    by_name: dict[str, str] = {}
    for column in columns:
        name = "_".join(column.lower().replace("-", " ").split())
        if name == column or name not in by_name:
            by_name[name] = column
    return next((by_name[name] for name in usual.split() if name in by_name), "")


def _until_quotes_close(first: str, lines: Iterator[str]) -> tuple[list[str], bool]:
    """The first line and the lines over which a quoted name continues, and whether its quotes
    close."""
    read, length = [first], len(first)
    is_open = _ends_in_quotes(first)
    while is_open and length <= HEADER.most and (line := next(lines, "")):
        read.append(line)
        length += len(line)
        is_open = _ends_in_quotes(f'"{line}')
    return read, not is_open


def _ends_in_quotes(line: str) -> bool:
    return _OPENED.search(_QUOTED.sub("", line)) is not None


def _cells(lines: list[str], delimiter: str, where: str) -> tuple[list[str], int]:
    """The cells of the first row, and the number of lines read."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        cells = next(reader)
    except csv.Error as error:
        raise InputError(
            f"{where} is a malformed header ({error}), read with {_NAMES[delimiter]} as separators;"
            " check its quotes, or name another separator in a line before it, as"
            f" sep={',' if delimiter == ';' else ';'}."
        ) from None
    return cells, reader.line_num


def _free(name: str, there: set[str]) -> Iterator[str]:
    return (one for number in count(1) if (one := f"{name} {number}") not in there)


def _numbered(names: list[str], repeated: frozenset[str]) -> list[str]:
    """The names; repeated ones get the next number that makes them unique."""
    there = set(names)
    free = {name: _free(name, there) for name in repeated}
    return [next(free[name]) if name in repeated else name for name in names]
