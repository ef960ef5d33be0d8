"""Which columns of a file hold labels, and what a row has in one."""

from dataclasses import astuple, dataclass, replace
from pathlib import Path

from ticketing.cells import from_cell
from ticketing.errors import InputError
from ticketing.tables import Row

_USUAL = {
    "subject": ("subject", "query"),
    "description": ("description",),
    "ticket": ("ticket_id", "ticket", "docid", "doc_id"),
    "grade": ("grade", "rating", "label"),
    "judge": ("judge", "rater"),
}

EXPORTED = {"query", "docid", "rating"}
"""The columns of labels.csv, in which Quepid writes its judgments too."""

_NO_CELL = (list, dict)
"""What JSON may hold, and no table does."""


@dataclass(frozen=True)
class Columns:
    """Which columns hold a label; empty ones are guessed from usual names.

    The query is a ticket of the archive (`query` holds its id) or a text (`subject`,
    `description`). Who judged need not be said.
    """

    query: str = ""
    subject: str = ""
    description: str = ""
    ticket: str = ""
    grade: str = ""
    judge: str = ""


def complete(columns: Columns, rows: list[Row], path: Path, judge_is_said: bool = False) -> Columns:
    """`columns` with usual names where open, without that of a judge who is said. Raises InputError
    for a missing one, and for one that the file has several of."""
    present = {name: None for row in rows for name in row.values}
    repeated = {name for row in rows for name in row.repeated}
    chosen = {"query": columns.query}
    for part, usual in _USUAL.items():
        guess = next((name for name in usual if name in present or name in repeated), "")
        chosen[part] = getattr(columns, part) or guess
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
    """Whether a row is one of labels.csv, or of a table like it."""
    return row.values.keys() >= EXPORTED


def restored(row: Row) -> Row:
    """A row as it was before the export made it one of a table that people open: of labels.csv."""
    if not is_exported(row):
        return row
    values = {k: from_cell(v) if isinstance(v, str) else v for k, v in row.values.items()}
    return replace(row, values=values)


def cell(row: Row, column: str) -> str:
    """What a row has in a column, without blanks around it; nothing for no column. Half of a
    surrogate pair can't be stored, and becomes "?"."""
    value = row.values.get(column)
    return "" if value is None else str(value).encode(errors="replace").decode().strip()


def no_cell(row: Row, columns: Columns) -> str:
    """The first column of a label that a row has a list or an object in, or nothing."""
    named = (name for name in astuple(columns) if isinstance(row.values.get(name), _NO_CELL))
    return next(named, "")


def shown(row: Row, column: str) -> str:
    """A cell as a sentence shows it, not all of a long one."""
    return repr(cell(row, column))[:60]
