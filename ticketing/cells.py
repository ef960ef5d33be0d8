"""Texts as cells of a CSV file that people open, so that no spreadsheet runs one as a formula.

A spreadsheet may part a line by another separator than it was written with (a German Excel by
semicolons), ends a line amid a cell whose quotes it then takes for text, and begins a cell in
quotes where a quote follows a separator. So a mark stands not only before a text that would be a
formula, but wherever in it a reader could begin such a cell.
"""

import re

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a cell of text begins with that a spreadsheet would run as a formula (OWASP, CSV
injection)."""

MARK = "'"

_RUN = r"=+\-@\t＝＋－＠"

_FIRST = rf"(?='*[{_RUN}\r\n])"
_WITHIN = rf"""(?='*(?:"?[{_RUN}]|\Z))"""
"""At the end of a cell, its closing quote may begin another one, with the line end in it."""

_BEFORE = r"(?<=[,;|\t\r\n])"

_UNMARKED = re.compile(rf"\A{_FIRST}|{_BEFORE}{_WITHIN}")
_MARKED = re.compile(rf"\A{MARK}{_FIRST}|{_BEFORE}{MARK}{_WITHIN}")


def as_cell(text: str) -> str:
    """A text as a cell of which no reader with `,`, `;`, tab or `|` as its separator makes one that
    begins with FORMULA: an apostrophe stands before what would. Another one stands where there is
    one already, so that `from_cell` gives the text back."""
    return _UNMARKED.sub(MARK, text)


def from_cell(cell: str) -> str:
    """The text of which `as_cell` made this."""
    return _MARKED.sub("", cell)
