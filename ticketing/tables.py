"""Reads rows of CSV, TSV and JSON Lines files (also gzipped) and of Excel workbooks, and reports
invalid ones.

A file that can't be read as a whole raises InputError; a single bad row is yielded as a Reject, so
that the caller can report it and go on. Limits of size are in `limits`.
"""

import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from ticketing.errors import InputError
from ticketing.headers import read_header, unique_names
from ticketing.limits import (
    COLUMNS,
    LINE,
    ROW,
    TICKET_TEXT,
    UNPACKED,
    UNPACKED_RATIO,
    depth_fault,
    half_fault,
)
from ticketing.plurals import counted
from ticketing.workbooks import sheet_rows

_DELIMITERS = {".csv": ",;\t|", ".tsv": "\t"}
_KINDS = (*_DELIMITERS, ".jsonl")
_WORKBOOK = ".xlsx"
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class Row:
    """One row: its first line (counted from 1) and its values by column.

    Columns that share a name are numbered ("Comment 1", "Comment 2"); `repeated` holds such names.
    """

    file: str
    line: int
    values: dict[str, Any]
    repeated: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Reject:
    """A row that was left out, and why; `field` is empty if the whole row is at fault."""

    file: str
    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}"
        return f"{where}: {self.field}: {self.reason}" if self.field else f"{where}: {self.reason}"


MOST_REJECTS = 500_000
"""Maximum number of rejects, since all are held in memory."""


def leave_out(reject: Reject, rejects: list[Reject]) -> None:
    """Append to `rejects`. Raises InputError beyond MOST_REJECTS: the file is probably not such a
    table."""
    if len(rejects) == MOST_REJECTS:
        raise InputError(
            f"{reject.file} has more than {MOST_REJECTS:,} rows that cannot be used; the first is"
            f" {rejects[0]}. Export it again."
        )
    rejects.append(reject)


class NoUsableRow(InputError):
    """A file has no usable row. The message gives the reason for the first row."""

    def __init__(self, path: Path, rejects: list[Reject]):
        first = f"; the first is {rejects[0]}" if rejects else ""
        super().__init__(f"{path} holds no usable row{first}.")
        self.rejects = rejects


def read_rows(path: Path) -> Iterator[Row | Reject]:
    """The rows of a file in order. The suffix tells the format: .csv, .tsv or .jsonl, each also
    with .gz, or .xlsx.

    Raises InputError if the file is missing, of another format, empty, truncated or not UTF-8, if
    it has too long a line or unpacks to too much, or if its header or quoting is malformed.
    """
    kind = _kind(path)
    try:
        _require_ending(path, kind)
        if kind == _WORKBOOK:
            yield from _read_workbook(path)
            return
        with _open(path, kind) as file:
            read = _read_json_lines if kind == ".jsonl" else _read_csv
            yield from read(_lines(file, path), path)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path} is no whole gzip file ({error}); copy it again.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None


def rejects_text(rejects: list[Reject]) -> str:
    """Rejects as JSON Lines (file, line, field, reason)."""
    return "".join(json.dumps(asdict(reject)) + "\n" for reject in rejects)


def text_in(row: Row, column: str) -> str:
    """The text or number of a row in a column, as text; "" if it is missing. Raises InputError for
    other JSON values, such as a list, and for half a character (a lone surrogate)."""
    value = row.values.get(column)
    text = "" if value is None else str(value)
    fault = half_fault(text)
    if isinstance(value, bool | list | dict):
        fault = "is neither text nor a number; mend or remove that line"
    if fault:
        raise InputError(f"{Reject(row.file, row.line, column, fault)}.")
    return text


def whole(value: str) -> str:
    """A whole number without its decimal point: tools save columns with gaps as 2.0."""
    return re.sub(r"(?<=[0-9])\.0+$", "", value)


def _kind(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    for kind in _KINDS:
        if name.endswith(kind):
            return kind
    if name == path.name.lower() and name.endswith(_WORKBOOK):
        return _WORKBOOK
    kinds = ", ".join(_KINDS)
    raise InputError(
        f"{path} is none of {kinds} (each also .gz) and {_WORKBOOK}; export it as one."
    )


def _require_ending(path: Path, kind: str) -> None:
    """Raises InputError for a packed file that is named as if it held plain text, OSError."""
    if kind != _WORKBOOK:
        with path.open("rb") as file:
            if file.read(len(_ZIP)) == _ZIP:
                raise InputError(
                    f"{path} is a zip file; unpack it, or let its name end with {_WORKBOOK} if it "
                    "is an Excel workbook."
                )


def _open(path: Path, kind: str) -> TextIO:
    opener = gzip.open if _is_packed(path) else open
    ends = "\n" if kind == ".jsonl" else ""  # the CSV reader finds line ends itself
    return opener(path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline=ends)


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _lines(file: TextIO, path: Path) -> Iterator[str]:
    """The lines of a file; never reads more of a line into memory than its limit."""
    most = max(UNPACKED.most, UNPACKED_RATIO * path.stat().st_size)
    number = unpacked = 0
    while line := file.readline(LINE.most + 1):
        number += 1
        if fault := LINE.fault(len(line)):
            raise InputError(f"{path}:{number} {fault}.")
        _require_utf8(line, f"{path}:{number}")
        unpacked += len(line)
        if unpacked > most and _is_packed(path):
            raise InputError(f"{path} {UNPACKED.fault(unpacked)}.")
        yield line


def _require_utf8(line: str, where: str) -> None:
    """Raises InputError for a byte that was not UTF-8; it was decoded as an unpaired surrogate."""
    try:
        line.encode()
    except UnicodeEncodeError as error:
        byte = line[error.start].encode(errors="surrogateescape")
        raise InputError(
            f"{where} is not UTF-8 (byte 0x{byte.hex()}); save the file as UTF-8."
        ) from None


def _read_json_lines(lines: Iterator[str], path: Path) -> Iterator[Row | Reject]:
    found = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            values = json.loads(line, parse_constant=_no_number)
            reason = "" if isinstance(values, dict) else "is no JSON object"
        except json.JSONDecodeError as error:
            reason = f"is no JSON (column {error.colno}: {error.msg})"
        except _NoNumber as error:
            reason = f"is no JSON ({error})"
        except ValueError:
            reason = "is no JSON (a number has too many digits; write it as a text)"
        except RecursionError:
            reason = "is no JSON (nested too deep)"
        if reason and not found:
            raise InputError(f"{path}:{number} {reason}; a .jsonl file holds one object a line.")
        found = True
        if reason:
            yield Reject(str(path), number, "", reason)
        else:
            yield _checked(Row(str(path), number, values))
    if not found:
        raise InputError(f"{path} is empty.")


class _NoNumber(ValueError):
    pass


def _no_number(name: str) -> None:
    raise _NoNumber(f"{name} is no number")


def _read_csv(lines: Iterator[str], path: Path) -> Iterator[Row | Reject]:
    csv.field_size_limit(LINE.most)
    header = read_header(lines, path, _DELIMITERS[_kind(path)])
    rest = _LinesOfRows(header.rest, path, header.end + 1)
    reader = csv.reader(rest, delimiter=header.delimiter, strict=True)
    try:
        for cells in reader:
            if any(map(str.strip, cells)):  # spreadsheets write empty rows as separators alone
                yield _row(path, rest.start, header.names, header.repeated, cells)
            rest.start, rest.length = header.end + reader.line_num + 1, 0
    except csv.Error as error:
        raise InputError(
            f"{path}:{rest.start} is malformed CSV ({error}); check its quotes."
        ) from None


def _read_workbook(path: Path) -> Iterator[Row | Reject]:
    start, cells = next(sheet_rows(path), (1, []))
    if not cells:
        raise InputError(f"{path} is empty: its first sheet holds nothing.")
    names, repeated = unique_names(cells, f"{path}:{start}")
    for number, cells in sheet_rows(path, start + 1, len(names)):
        cells += [""] * (len(names) - len(cells))
        yield _row(path, number, names, repeated, cells)


def _row(
    path: Path, line: int, names: list[str], repeated: frozenset[str], cells: list[str]
) -> Row | Reject:
    if len(cells) != len(names):
        reason = f"has {counted(len(cells), 'cell')} where the header has {len(names)}"
        return Reject(str(path), line, "", reason)
    values = {name: cell for name, cell in zip(names, cells, strict=True) if name}
    return _checked(Row(str(path), line, values, repeated))


class _LinesOfRows:
    """Iterator of lines for a CSV reader, which may read several lines as one row. The caller sets
    `start` and `length` for the next row. Raises InputError if a row is too long."""

    def __init__(self, lines: Iterator[str], path: Path, start: int):
        self._lines, self._path = lines, path
        self.start, self.length = start, 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.length += len(line)
        if fault := ROW.fault(self.length):
            raise InputError(f"{self._path}:{self.start} {fault}.")
        return line


def _checked(row: Row) -> Row | Reject:
    if fault := COLUMNS.fault(len(row.values)) or depth_fault(row.values):
        return Reject(row.file, row.line, "", fault)
    for name, value in row.values.items():
        if isinstance(value, str) and (fault := TICKET_TEXT.fault(len(value))):
            return Reject(row.file, row.line, name, fault)
    return row
