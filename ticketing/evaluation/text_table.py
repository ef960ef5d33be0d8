"""Tables for the terminal: the first column is left-aligned, all others right-aligned."""

from collections.abc import Sequence

BETWEEN = "  "


def table_text(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows with equal numbers of cells as lines of text; columns are as wide as their widest
    cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [row_text(row, widths) for row in rows]


def row_text(cells: Sequence[str], widths: Sequence[int]) -> str:
    """One row of a table that is printed row by row, with given widths."""
    first, *others = zip(cells, widths, strict=True)
    padded = [f"{first[0]:{first[1]}}", *(f"{cell:>{width}}" for cell, width in others)]
    return BETWEEN.join(padded).rstrip()
