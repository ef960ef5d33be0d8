"""The cells of Excel workbooks (.xlsx), as text."""

import warnings
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

from ticketing.errors import InputError
from ticketing.limits import COLUMNS, WORKBOOK

ROWS = 2**20
"""Rows of the largest sheet that Excel writes."""

FAULTS = {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A"}
"""What cells hold whose formula failed."""

_OLE = bytes.fromhex("d0cf11e0")
"""The first bytes of a workbook that is encrypted, or was written by an Excel before 2007."""


def sheet_rows(
    path: Path, first: int = 1, columns: int = COLUMNS.most + 1
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a workbook's first visible sheet that hold something, from row `first` on: each
    row's number, and its cells in the first `columns` columns, up to the last that holds something.

    A time is text as in ISO 8601, without a clock at midnight; a failed formula is an empty cell.
    Raises InputError for a file that is no such workbook or unpacks to too much, OSError.
    """
    try:
        yield from _rows(path, first, columns)
    except (InputError, OSError):
        raise
    except Exception as error:  # whatever openpyxl meets in a broken file
        raise InputError(f"{path} {_fault(path)}; save it again as .xlsx, or as CSV.") from error


def _rows(path: Path, first: int, columns: int) -> Iterator[tuple[int, list[str]]]:
    from openpyxl import load_workbook

    with ZipFile(path) as packed:
        unpacked = sum(part.file_size for part in packed.infolist())  # no more is ever unpacked
    if fault := WORKBOOK.fault(unpacked):
        raise InputError(f"{path} {fault}.")
    warnings.filterwarnings("ignore", module=r"openpyxl\.")  # of what is not read, such as styles
    workbook = load_workbook(path, read_only=True, data_only=True, keep_links=False)
    with closing(workbook):
        sheets = workbook.worksheets
        sheet = next((one for one in sheets if one.sheet_state == "visible"), None)
        if sheet is None:
            raise InputError(f"{path} has no visible sheet.")
        found = sheet.iter_rows(first, ROWS, 1, columns, values_only=True)
        for number, values in enumerate(found, first):
            if values.count(None) == len(values):
                continue
            cells = [_text(value) for value in values]
            while cells and not cells[-1].strip():
                cells.pop()
            if cells:
                yield number, cells


def _text(value: object) -> str:
    if value is None or value in FAULTS:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).replace("_x000D_", "\r")  # so a workbook writes this line end


def _fault(path: Path) -> str:
    with path.open("rb") as file:
        if file.read(len(_OLE)) == _OLE:
            return "has a password, or is of an Excel before 2007"
    return "is no Excel workbook that can be read"
