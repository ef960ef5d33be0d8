"""Labels of any desk into judgment events.

A label is compared with what the same judge thinks at present, so that a file changes what it says
otherwise and nothing else: YES, NO and YES again end as YES.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from ticketing.errors import InputError
from ticketing.labels.derive import latest
from ticketing.labels.events import is_event, new_events
from ticketing.limits import NAME, half_fault, query_fault
from ticketing.stores.protocols import Judgments, Tickets
from ticketing.tables import NoUsableRow, Reject, Row, leave_out, read_rows
from ticketing.text import strip_markup
from ticketing.tickets import IMPORTED, Grade, Judgment, Query, Ticket
from ticketing.times import utc_now

_WORDS = {"YES": Grade.YES, "REL": Grade.REL, "NO": Grade.NO}
_GAINS = {"2": Grade.YES, "1": Grade.REL, "0": Grade.NO}
_RATINGS = {"5": Grade.YES, "3": Grade.REL, "1": Grade.NO}
_USUAL = {
    "subject": ("subject", "query"),
    "description": ("description",),
    "ticket": ("ticket_id", "ticket", "docid", "doc_id"),
    "grade": ("grade", "rating", "label"),
}


TICK = timedelta(microseconds=1)
"""The least by which a time is later than another."""


IMPORT = "import"
"""Who judged, where nobody is named."""


@dataclass(frozen=True)
class Columns:
    """Which columns hold a label; empty ones are guessed from usual names.

    The query is a ticket of the archive (`query` holds its id) or a text (`subject`,
    `description`).
    """

    query: str = ""
    subject: str = ""
    description: str = ""
    ticket: str = ""
    grade: str = ""


@dataclass
class LabelReport:
    """What an import did; `left_out` counts rows of unmapped grades or too late queries, `strange`
    events of tickets that the archive does not have."""

    added: int = 0
    known: int = 0
    left_out: int = 0
    strange: int = 0
    rejects: list[Reject] = field(default_factory=list)


def read_grades(options: Iterable[str]) -> dict[str, Grade]:
    """The mapping of `VALUE=YES|REL|NO` options. Raises InputError for any other form."""
    grades = {}
    for option in options:
        value, _, name = option.rpartition("=")
        if not value or name.strip().upper() not in _WORDS:
            raise InputError(
                f"--grade {option} is not of the form VALUE=YES, VALUE=REL or VALUE=NO."
            )
        grades[value.strip().casefold()] = _WORDS[name.strip().upper()]
    return grades


class TicketsAndJudgments(Tickets, Judgments, Protocol):
    """Where labels are recorded, of tickets that are there."""


def import_labels(
    path: Path,
    store: TicketsAndJudgments,
    columns: Columns = Columns(),
    grades: Mapping[str, Grade] | None = None,
    before: datetime | None = None,
    judge: str = IMPORT,
) -> LabelReport:
    """Read a file of labels, or of events as exported, and record it; again, it changes nothing.

    `grades` maps the file's values (casefolded) and leaves out all others; without it
    YES/REL/NO, 2/1/0 and 5/3/1 are understood. A pair given twice gets the better
    grade. With `before`, only queries whose ticket was created earlier are taken.
    Events say all of that themselves. Raises InputError when the file, its columns or the judge
    can't be used, and for what is said beside events; nothing is stored then.
    """
    _require_judge(judge)
    report = LabelReport()
    rows: list[Row] = []
    for row in read_rows(path):
        if isinstance(row, Reject):
            leave_out(row, report.rejects)
        else:
            rows.append(row)
    if not rows:
        raise NoUsableRow(path, report.rejects)
    kept = list(store.judgments())
    if is_event(rows[0].values):
        if grades or before or (columns, judge) != (Columns(), IMPORT):
            raise InputError(
                f"{path} holds judgments as exported, which say who judged what and how; leave out"
                " all options but --rejects."
            )
        events = new_events(rows, kept, report.rejects)
        there = store.matching_ids(sorted({event.ticket_id for event in events}))
        report.strange = sum(event.ticket_id not in there for event in events)
    else:
        columns = _complete(columns, rows, path)
        if before and not columns.query:
            raise InputError(
                "--before needs queries that are tickets; name their column by --query."
            )
        said = _label_events(rows, columns, grades, before, judge, store, report)
        present = {(one.query.id, one.ticket_id): one for one in latest(kept, judge)}
        events = [_after(present.get((one.query.id, one.ticket_id)), one) for one in said]
    report.added = store.add_judgments(events)
    report.known = len(events) - report.added
    return report


def _require_judge(judge: str) -> None:
    """Raises InputError for a name that no event could be read back with, and for none."""
    fault = NAME.fault(len(judge)) or half_fault(judge)
    if fault or not judge.strip():
        raise InputError(f"--judge {fault or 'is empty; name who judged'}.")


def _after(present: Judgment | None, said: Judgment) -> Judgment:
    """What is said, unless it is what the judge thinks at present: then that event itself.

    Its id follows from both, so that an import that was cut short may be repeated. It begins with
    IMPORTED, which no person's does: nobody can use up an id that an import will need. Its time is
    after that of the event that it contradicts, whatever clock that one had.
    """
    if present and present.grade == said.grade:
        return present
    content = (said.query.id, said.ticket_id, str(said.grade), said.judge)
    digest = sha256("\0".join([*content, present.event_id if present else ""]).encode())
    time = max(said.time, min(present.time, datetime.max - TICK) + TICK) if present else said.time
    return replace(said, event_id=IMPORTED + digest.hexdigest()[:32], time=time)


def _label_events(
    rows: list[Row],
    columns: Columns,
    grades: Mapping[str, Grade] | None,
    before: datetime | None,
    judge: str,
    store: Tickets,
    report: LabelReport,
) -> list[Judgment]:
    scale = _scale(rows, columns.grade) if grades is None else grades
    now = utc_now()
    tickets = _tickets(rows, columns, store)
    best: dict[tuple[str, str], tuple[Grade, Judgment]] = {}
    for row in rows:
        grade = scale.get(_cell(row, columns.grade).casefold())
        if grade is None:
            if grades is None:
                report.rejects.append(_no_grade(row, columns))
            else:
                report.left_out += 1
            continue
        event = _event(row, columns, grade, tickets, judge, now)
        if isinstance(event, Reject):
            report.rejects.append(event)
        elif before and not _created_before(event.query, tickets, before):
            report.left_out += 1
        else:
            pair = event.query.id, event.ticket_id
            if pair not in best or best[pair][0] < grade:
                best[pair] = grade, event
    return [event for _, event in best.values()]


def _no_grade(row: Row, columns: Columns) -> Reject:
    reason = f"{_shown(row, columns.grade)} is no grade; map it by --grade"
    return Reject(row.file, row.line, columns.grade, reason)


def _event(
    row: Row,
    columns: Columns,
    grade: Grade,
    tickets: Mapping[str, Ticket],
    judge: str,
    now: datetime,
) -> Judgment | Reject:
    """The event of one row, without its id."""
    for column in filter(None, (columns.query, columns.ticket)):
        if _cell(row, column) not in tickets:
            reason = f"there is no ticket {_shown(row, column)} in the archive"
            return Reject(row.file, row.line, column, reason)
    query, ticket_id = _query(row, columns, tickets), _cell(row, columns.ticket)
    if not query.subject and not query.description:
        return Reject(row.file, row.line, columns.subject, "is empty")
    part, fault = query_fault(query)
    if fault:
        return Reject(row.file, row.line, getattr(columns, part), fault)
    if query.ticket_id == ticket_id:
        return Reject(row.file, row.line, columns.ticket, "is the query itself")
    return Judgment("", query, ticket_id, grade, judge, now)


def _query(row: Row, columns: Columns, tickets: Mapping[str, Ticket]) -> Query:
    if columns.query:
        ticket = tickets[_cell(row, columns.query)]
        return Query(ticket.subject, ticket.description, ticket_id=ticket.id)
    return Query(
        strip_markup(_cell(row, columns.subject)), strip_markup(_cell(row, columns.description))
    )


def _tickets(rows: list[Row], columns: Columns, store: Tickets) -> dict[str, Ticket]:
    """The tickets of the archive that the rows name."""
    named = (columns.ticket, columns.query) if columns.query else (columns.ticket,)
    ids = sorted({_cell(row, column) for row in rows for column in named})
    return store.get_tickets(ids)


def _created_before(query: Query, tickets: Mapping[str, Ticket], before: datetime) -> bool:
    created = tickets[query.ticket_id].created
    return created is not None and created < before


def _scale(rows: list[Row], column: str) -> dict[str, Grade]:
    """Words and numbers; a 1 is the lowest rating where a 3 or 5 occurs, and else a gain. Raises
    InputError for numbers that are on neither scale, where the ones known would mean another."""
    numbers = {value for row in rows if (value := _cell(row, column)).isdecimal()}
    scale = next((known for known in (_GAINS, _RATINGS) if numbers <= known.keys()), None)
    if scale is None:
        shown = ", ".join(number[:20] for number in sorted(numbers)[:9])
        raise InputError(
            f"{rows[0].file} has the grades {shown}, which are on neither"
            " scale known here (2, 1, 0 and 5, 3, 1); map each by --grade, as --grade 3=YES."
        )
    return {word.casefold(): grade for word, grade in _WORDS.items()} | scale


def _cell(row: Row, column: str) -> str:
    """A lone half of a surrogate pair can't be stored; it becomes "?"."""
    value = row.values.get(column)
    return "" if value is None else str(value).encode(errors="replace").decode().strip()


def _shown(row: Row, column: str) -> str:
    """A cell as a sentence shows it, not all of a long one."""
    return repr(_cell(row, column))[:60]


def _complete(columns: Columns, rows: list[Row], path: Path) -> Columns:
    """`columns` with usual names where open. Raises InputError for a missing one."""
    present = {name: None for row in rows for name in row.values}
    chosen = {"query": columns.query}
    for part, usual in _USUAL.items():
        guess = next((name for name in usual if name in present), "")
        chosen[part] = getattr(columns, part) or guess
    if columns.query:
        chosen["subject"] = chosen["description"] = ""
    needed = ("query" if columns.query else "subject", "ticket", "grade")
    for part in chosen:
        if chosen[part] not in present and (chosen[part] or part in needed):
            shown = f"no column {chosen[part]!r}" if chosen[part] else f"no column for the {part}"
            option = "--grade-column" if part == "grade" else f"--{part}"
            raise InputError(
                f"{path} has {shown}; name it by {option} (it has: {', '.join(present) or 'none'})."
            )
    return Columns(**chosen)
