"""Rows of Excel workbooks, written here by openpyxl."""

import zipfile
from datetime import datetime, time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from ticketing.errors import InputError
from ticketing.tables import Row, read_rows


def saved(path: Path, rows, title: str = "Page 1", before: str = "") -> Path:
    """A workbook with these rows; `before` is the state of a sheet in front of it."""
    workbook = Workbook()
    sheet = workbook.active
    if before:
        sheet.append(["a cover"])
        sheet.sheet_state = before
        sheet = workbook.create_sheet(title)
    for row in rows:
        sheet.append(row)
    workbook.save(path)
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "export.xlsx"


def test_cells_are_text_and_lines_are_the_sheets_rows(path):
    rows = [
        [],
        ["Number", "Opened", "Count", "Fix", None, "Fix", None],
        ["INC1", datetime(2021, 5, 3), 2, "Clean\nthe rollers", "unnamed", "twice", "beyond"],
        [],
        [1234, datetime(2021, 5, 3, 9, 12), 0.5, "#N/A", None, True],
        [2.0, time(9, 12), None, "Line_x000D_\nend"],
    ]
    fix, again = "Fix 1", "Fix 2"
    assert [(row.line, row.values) for row in read_rows(saved(path, rows))] == [
        (
            3,
            dict(
                Number="INC1",
                Opened="2021-05-03",
                Count="2",
                **{fix: "Clean\nthe rollers", again: "twice"},
            ),
        ),
        (
            5,
            dict(
                Number="1234", Opened="2021-05-03 09:12:00", Count="0.5", **{fix: "", again: "TRUE"}
            ),
        ),
        (6, dict(Number="2", Opened="09:12:00", Count="", **{fix: "Line\r\nend", again: ""})),
    ]


def test_the_first_sheet_that_shows_is_read(path):
    rows = [["id", "subject"], ["T-1", "Pump leaks"]]
    [row] = read_rows(saved(path, rows, before="hidden"))
    assert row == Row(str(path), 2, {"id": "T-1", "subject": "Pump leaks"})
    assert list(read_rows(saved(path, rows, before="visible"))) == []


def refused(path: Path) -> str:
    with pytest.raises(InputError) as error:
        list(read_rows(path))
    return str(error.value).replace(f"{path}", "it")


BROKEN = "it is no Excel workbook that can be read; save it again as .xlsx, or as CSV."


def test_what_is_no_workbook_is_refused_with_what_to_do(path, tmp_path):
    path.write_bytes(b"id,subject\nT-1,Pump leaks\n")
    assert refused(path) == BROKEN
    path.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600))
    assert refused(path) == (
        "it has a password, or is of an Excel before 2007; save it again as .xlsx, or as CSV."
    )
    saved(path, [["id"], ["T-1"]])
    path.write_bytes(path.read_bytes()[:-900])
    assert refused(path) == BROKEN
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("notes.txt", "no workbook")
    assert refused(path) == BROKEN
    assert refused(saved(path, [])) == "it is empty: its first sheet holds nothing."
    assert refused(saved(path, [["c"] * 1001])).startswith("it:1 has 1,001 columns, more than")
    assert refused(tmp_path / "none.xlsx") == "it cannot be read: No such file or directory."


def test_a_workbook_under_another_name_is_told_its_ending(path, tmp_path):
    other = saved(path, [["id"], ["T-1"]]).rename(tmp_path / "export.csv")
    assert refused(other) == (
        "it is a zip file; unpack it, or let its name end with .xlsx if it is an Excel workbook."
    )
    assert refused(other.rename(tmp_path / "export.xlsx.gz")) == (
        "it is none of .csv, .tsv, .jsonl (each also .gz) and .xlsx; export it as one."
    )


def test_a_workbook_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(path):
    saved(path, [["id"], ["T-1"]])
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed,
        packed.open("xl/big", "w") as big,
    ):
        for _ in range(257):
            big.write(bytes(2**20))
    assert path.stat().st_size < 2**20
    assert "more than the 268,435,456 allowed; save it as CSV in UTF-8." in refused(path)


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("good") / "good.xlsx"
    return saved(path, [["id", "opened"], ["T-1", datetime(2021, 5, 3)]]).read_bytes()


@given(data=st.data())
def test_a_broken_workbook_is_read_or_refused(tmp_path_factory, good, data):
    path, whole = tmp_path_factory.getbasetemp() / "broken.xlsx", bytearray(good)
    for _ in range(data.draw(st.integers(1, 5))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(whole)
    try:
        assert all(isinstance(row, Row) for row in read_rows(path))
    except InputError as error:
        assert str(path) in str(error)


def rewritten(path: Path, change) -> None:
    """The sheet of a workbook of one ticket, changed."""
    saved(path, [["id"], ["T-1"]])
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            is_sheet = name == "xl/worksheets/sheet1.xml"
            packed.writestr(name, change(content.decode()) if is_sheet else content)


def with_row(sheet: str, number: int, text: str) -> str:
    cell = f'<c r="A{number}" t="inlineStr"><is><t>{text}</t></is></c>'
    return sheet.replace("</sheetData>", f'<row r="{number}">{cell}</row></sheetData>')


def test_entities_of_xml_are_not_expanded(path):
    """They can make very much of very little."""
    declared = '<!DOCTYPE worksheet [<!ENTITY a "aaaaaaaaaa">]>'
    rewritten(path, lambda sheet: declared + with_row(sheet, 3, "&a;&a;"))
    assert refused(path) == BROKEN


@pytest.mark.parametrize(("number", "found"), [(2**20, [2, 2**20]), (4 * 10**9, [2])])
def test_a_row_far_below_costs_no_time_and_one_beyond_every_sheet_is_left(path, number, found):
    rewritten(path, lambda sheet: with_row(sheet, number, "T-2"))
    assert [row.line for row in read_rows(path)] == found
