"""Escape texts for cells of CSV files, so that no spreadsheet runs one as a formula.

A spreadsheet may split a line at another separator than the one it was written with (a German Excel
at semicolons). It may also end a line inside a quoted cell, or start a quoted cell where a quote
follows a separator. So the mark is written not only at the start of a text, but at every place
where a reader could begin a cell that is a formula.
"""

import re

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""A spreadsheet runs a cell that begins with one of these as a formula (OWASP, CSV injection)."""

MARK = "'"

_RUN = r"=+\-@\t＝＋－＠"

_FIRST = rf"(?='*[{_RUN}\r\n])"
_WITHIN = rf"""(?='*(?:"?[{_RUN}]|\Z))"""
"""At the end of a cell, its closing quote may open another cell, which then begins with a line
end."""

_BEFORE = r"(?<=[,;|\t\r\n])"

_UNMARKED = re.compile(rf"\A{_FIRST}|{_BEFORE}{_WITHIN}")
_MARKED = re.compile(rf"\A{MARK}{_FIRST}|{_BEFORE}{MARK}{_WITHIN}")


def as_cell(text: str) -> str:
    """Escape a text as a cell. No reader with `,`, `;`, tab or `|` as separator then finds a cell
    that begins with FORMULA.

    An apostrophe is put before each such place. An apostrophe that is already there gets another
    one, so that `from_cell` gives the text back.
    """
    return _UNMARKED.sub(MARK, text)


def from_cell(cell: str) -> str:
    """The text from which `as_cell` made this cell."""
    return _MARKED.sub("", cell)
