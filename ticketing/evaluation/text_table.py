"""Tables on the terminal: the first column to the left, all others to the right."""

from collections.abc import Sequence

BETWEEN = "  "


def table_text(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of as many cells each as lines of text; a column is as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [row_text(row, widths) for row in rows]


def row_text(cells: Sequence[str], widths: Sequence[int]) -> str:
    """One row of a table that is printed while it is made, so that its widths are given."""
    first, *others = zip(cells, widths, strict=True)
    padded = [f"{first[0]:{first[1]}}", *(f"{cell:>{width}}" for cell, width in others)]
    return BETWEEN.join(padded).rstrip()
