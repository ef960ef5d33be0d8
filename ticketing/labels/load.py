"""Imports labels of any desk as judgment events.

A label is compared with the judge's present grade, so that a file only changes what differs: YES,
NO and YES again end as YES.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from ticketing.errors import InputError
from ticketing.labels.columns import Columns, cell, complete, is_exported, no_cell, restored, shown
from ticketing.labels.derive import latest
from ticketing.labels.events import is_event, new_events
from ticketing.labels.known import JudgedQueries
from ticketing.limits import NAME, half_fault, query_fault
from ticketing.stores.protocols import Judgments, Tickets
from ticketing.tables import NoUsableRow, Reject, Row, leave_out, read_rows, whole
from ticketing.text import strip_markup
from ticketing.tickets import IMPORTED, Grade, Judgment, Query, Ticket
from ticketing.times import just_after, utc_now

_WORDS = {"YES": Grade.YES, "REL": Grade.REL, "NO": Grade.NO}
_GAINS = {"2": Grade.YES, "1": Grade.REL, "0": Grade.NO}
_RATINGS = {"5": Grade.YES, "3": Grade.REL, "1": Grade.NO}
_NUMBER = re.compile(r"[+-]?[0-9]*[.,]?[0-9]+")


IMPORT = "import"
"""Name of the judge if none is given."""


@dataclass
class LabelReport:
    """Counts of an import. `left_out`: rows with `unmapped` grades or too late queries, or
    overridden by another row; `strange`: events of tickets that the archive does not have."""

    added: int = 0
    known: int = 0
    left_out: int = 0
    strange: int = 0
    unmapped: set[str] = field(default_factory=set)
    rejects: list[Reject] = field(default_factory=list)


def read_grades(options: Iterable[str]) -> dict[str, Grade]:
    """The mapping from `VALUE=YES|REL|NO` options. Raises InputError for any other form."""
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
    """A store of judgments and of the tickets that they refer to."""


def import_labels(
    path: Path,
    store: TicketsAndJudgments,
    columns: Columns = Columns(),
    grades: Mapping[str, Grade] | None = None,
    before: datetime | None = None,
    judge: str = IMPORT,
) -> LabelReport:
    """Read a file of labels, or of exported events, and record them. Repeating it changes nothing.

    `grades` maps the file's values (casefolded) and leaves out all others; default are YES/REL/NO,
    2/1/0 and 5/3/1. If a judge grades a pair twice, the better grade counts. With `before`, only
    queries whose ticket was created earlier are imported. A query with the text of a judged one, as
    in labels.csv, is that query, and labels that already result from all judgments change nothing.
    Events contain all this themselves. Raises InputError if the file, its columns or the judge
    can't be used, and for options that events do not need; nothing is stored then.
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
        if columns.judge and judge != IMPORT:
            raise InputError("Either --judge or --judge-column says who judged; give one of them.")
        rows = list(map(restored, rows))
        columns = complete(columns, rows, path, judge_is_said=judge != IMPORT)
        if before and not columns.query:
            raise InputError(
                "--before needs queries that are tickets; name their column by --query."
            )
        asked = _Asked(columns, _tickets(rows, columns, store), JudgedQueries(kept), judge)
        said = _label_events(rows, asked, grades, before, report)
        present = {_pair(one): one for one in latest(kept)}
        events = [_after(present.get(_pair(one)), one) for one in said]
    report.added = store.add_judgments(events)
    report.known += len(events) - report.added
    return report


@dataclass(frozen=True)
class _Asked:
    """Data for making a row's event, apart from the row."""

    columns: Columns
    tickets: Mapping[str, Ticket]
    judged: JudgedQueries
    judge: str


def _pair(event: Judgment) -> tuple[str, str, str]:
    return event.query.id, event.ticket_id, event.judge


def _require_judge(judge: str) -> None:
    """Raises InputError for a judge's name that is empty or cannot be exported."""
    fault = NAME.fault(len(judge)) or half_fault(judge)
    if fault or not judge.strip():
        raise InputError(f"--judge {fault or 'is empty; name who judged'}.")


def _after(present: Judgment | None, said: Judgment) -> Judgment:
    """The event for a grade; or the judge's present event, if that has the same grade.

    Its id is derived from both, so an interrupted import can be repeated, and begins with IMPORTED,
    so no person's event can occupy it. Its time is after that of the event that it contradicts.
    """
    if present and present.grade == said.grade:
        return present
    content = (said.query.id, said.ticket_id, str(said.grade), said.judge)
    digest = sha256("\0".join([*content, present.event_id if present else ""]).encode())
    time = max(said.time, just_after(present.time)) if present else said.time
    return replace(said, event_id=IMPORTED + digest.hexdigest()[:32], time=time)


def _label_events(
    rows: list[Row],
    asked: _Asked,
    grades: Mapping[str, Grade] | None,
    before: datetime | None,
    report: LabelReport,
) -> list[Judgment]:
    columns = asked.columns
    scale = _scale(rows, columns.grade) if grades is None else grades
    now = utc_now()
    best: dict[tuple[str, str, str], tuple[Grade, Judgment]] = {}
    for row in rows:
        if column := no_cell(row, columns):
            reason = "is neither text nor a number"
            report.rejects.append(Reject(row.file, row.line, column, reason))
            continue
        value = cell(row, columns.grade)
        grade = scale.get(value.casefold(), scale.get(whole(value)))
        if grade is None:
            if grades is None:
                report.rejects.append(_no_grade(row, columns))
            else:
                report.left_out += 1
                report.unmapped.add(value)
            continue
        event = _event(row, asked, grade, now)
        if isinstance(event, Reject):
            report.rejects.append(event)
        elif before and not _created_before(event.query, asked.tickets, before):
            report.left_out += 1
        elif _says_what_all_do(row, asked) and asked.judged.agree(event):
            report.known += 1
        else:
            report.left_out += (pair := _pair(event)) in best
            if pair not in best or best[pair][0] < grade:
                best[pair] = grade, event
    return [event for _, event in best.values()]


def _says_what_all_do(row: Row, asked: _Asked) -> bool:
    """Whether a row is from labels.csv, whose labels are derived from all judges."""
    named = cell(row, asked.columns.judge) or asked.judge != IMPORT
    return (is_exported(row) and not named) or _of_one_text(row, asked) is not None


def _no_grade(row: Row, columns: Columns) -> Reject:
    reason = f"{shown(row, columns.grade)} is no grade; map it by --grade"
    return Reject(row.file, row.line, columns.grade, reason)


def _event(
    row: Row,
    asked: _Asked,
    grade: Grade,
    now: datetime,
) -> Judgment | Reject:
    """The event of one row, without its id."""
    columns, tickets = asked.columns, asked.tickets
    for column in filter(None, (columns.query, columns.ticket)):
        if _id(row, column, tickets) not in tickets:
            reason = f"there is no ticket {shown(row, column)} in the archive"
            return Reject(row.file, row.line, column, reason)
    query, ticket_id = _query(row, asked), _id(row, columns.ticket, tickets)
    if not query.subject and not query.description:
        return Reject(row.file, row.line, columns.subject, "is empty")
    part, fault = query_fault(query)
    if fault:
        return Reject(row.file, row.line, getattr(columns, part), fault)
    if query.ticket_id == ticket_id:
        return Reject(row.file, row.line, columns.ticket, "is the query itself")
    judge = cell(row, columns.judge) or asked.judge
    if fault := NAME.fault(len(judge)):
        return Reject(row.file, row.line, columns.judge, fault)
    return Judgment("", query, ticket_id, grade, judge, now)


def _query(row: Row, asked: _Asked) -> Query:
    columns = asked.columns
    if columns.query:
        return asked.tickets[_id(row, columns.query, asked.tickets)].as_query
    return _of_one_text(row, asked) or _typed(row, columns)


def _of_one_text(row: Row, asked: _Asked) -> Query | None:
    """The judged query with the one text of a row, unless the row itself gives the query."""
    if asked.columns.query or cell(row, asked.columns.description):
        return None
    known = asked.judged.named(cell(row, asked.columns.subject))
    return known if known and known.id != _typed(row, asked.columns).id else None


def _typed(row: Row, columns: Columns) -> Query:
    texts = (strip_markup(cell(row, name)) for name in (columns.subject, columns.description))
    return Query(*texts)


def _tickets(rows: list[Row], columns: Columns, store: Tickets) -> dict[str, Ticket]:
    """The tickets of the archive that the rows refer to or may refer to."""
    named = (columns.ticket, columns.query) if columns.query else (columns.ticket,)
    ids = {cell(row, column) for row in rows for column in named}
    return store.get_tickets(sorted(ids | set(map(whole, ids))))


def _id(row: Row, column: str, tickets: Mapping[str, Ticket]) -> str:
    """The id in a row: as it is written or, if there is no such ticket, as a whole number."""
    written = cell(row, column)
    return written if written in tickets else whole(written)


def _created_before(query: Query, tickets: Mapping[str, Ticket], before: datetime) -> bool:
    created = tickets[query.ticket_id].created
    return created is not None and created < before


def _scale(rows: list[Row], column: str) -> dict[str, Grade]:
    """The grades of words and numbers in a column. A 1 is the lowest rating if a 3 or 5 occurs,
    otherwise a gain. Raises InputError for numbers on neither scale if known ones would be
    misread."""
    values = {whole(cell(row, column)) for row in rows}
    numbers = set(filter(_NUMBER.fullmatch, values))
    scale = next((known for known in (_GAINS, _RATINGS) if numbers <= known.keys()), None)
    if scale is None:
        shown = ", ".join(number[:20] for number in sorted(numbers)[:9])
        raise InputError(
            f"{rows[0].file} has the grades {shown}, which are on neither"
            " scale known here (2, 1, 0 and 5, 3, 1); map each by --grade, as --grade 3=YES."
        )
    return {word.casefold(): grade for word, grade in _WORDS.items()} | scale
