"""The columns of a file that hold labels, and access to their cells."""

from dataclasses import astuple, dataclass, replace
from pathlib import Path

from ticketing.cells import from_cell
from ticketing.errors import InputError
from ticketing.headers import guess_column
from ticketing.limits import without_halves
from ticketing.tables import Row

_USUAL = {
    "subject": "subject query",
    "description": "description",
    "ticket": "ticket_id ticket docid doc_id",
    "grade": "grade rating label",
    "judge": "judge rater",
}

EXPORTED = {"query", "docid", "rating"}
"""The columns of labels.csv, which Quepid also uses for judgments."""

_NO_CELL = (list, dict)
"""JSON values that no cell of a table has."""


@dataclass(frozen=True)
class Columns:
    """The columns of a label; empty ones are guessed from usual names.

    The query is a ticket of the archive (`query` holds its id) or a text (`subject`,
    `description`). The judge is optional.
    """

    query: str = ""
    subject: str = ""
    description: str = ""
    ticket: str = ""
    grade: str = ""
    judge: str = ""


def complete(columns: Columns, rows: list[Row], path: Path, judge_is_said: bool = False) -> Columns:
    """`columns` with open ones guessed from usual names; with `judge_is_said`, the judge's column
    is not needed. Raises InputError for a missing or repeated column."""
    present = {name: None for row in rows for name in row.values}
    repeated = {name for row in rows for name in row.repeated}
    chosen = {"query": columns.query}
    for part, usual in _USUAL.items():
        chosen[part] = getattr(columns, part) or guess_column(usual, (*present, *repeated))
    if columns.query:
        chosen["subject"] = chosen["description"] = ""
    if judge_is_said:
        chosen["judge"] = ""
    needed = ("query" if columns.query else "subject", "ticket", "grade")
    for part in chosen:
        if chosen[part] not in present and (chosen[part] or part in needed):
            shown = f"no column {chosen[part]!r}" if chosen[part] else f"no column for the {part}"
            advice = "name it"
            if chosen[part] in repeated:
                shown, advice = f"several columns {chosen[part]!r}", "name one of them"
            option = f"--{part}-column" if part in ("grade", "judge") else f"--{part}"
            raise InputError(
                f"{path} has {shown}; {advice} by {option} (it has:"
                f" {', '.join(present) or 'none'})."
            )
    return Columns(**chosen)


def is_exported(row: Row) -> bool:
    """Whether a row is from labels.csv or a similar table."""
    return row.values.keys() >= EXPORTED


def restored(row: Row) -> Row:
    """A row of labels.csv with the escapes for spreadsheets removed."""
    if not is_exported(row):
        return row
    values = {k: from_cell(v) if isinstance(v, str) else v for k, v in row.values.items()}
    return replace(row, values=values)


def cell(row: Row, column: str) -> str:
    """The cell of a row without surrounding blanks and unpaired surrogates; "" for no column."""
    value = row.values.get(column)
    return "" if value is None else without_halves(str(value)).strip()


def no_cell(row: Row, columns: Columns) -> str:
    """The first label column in which a row has a list or an object, or ""."""
    named = (name for name in astuple(columns) if isinstance(row.values.get(name), _NO_CELL))
    return next(named, "")


def shown(row: Row, column: str) -> str:
    """A cell for a message, shortened if long."""
    return repr(cell(row, column))[:60]
