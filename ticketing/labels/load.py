"""Imports labels of any desk as judgment events.

A label is compared with the judge's present grade, so that a file only changes what differs: YES,
NO and YES again end as YES.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from ticketing.errors import InputError
from ticketing.labels.columns import Columns, cell, complete, no_cell, restored, shown
from ticketing.labels.derive import latest
from ticketing.labels.events import is_event, new_events
from ticketing.labels.grades import scale_of
from ticketing.labels.known import JudgedQueries
from ticketing.labels.rows import IMPORT, LabelReader, named_tickets
from ticketing.limits import NAME, half_fault
from ticketing.stores.protocols import Judgments, Tickets
from ticketing.tables import NoUsableRow, Reject, Row, leave_out, read_rows, whole
from ticketing.tickets import IMPORTED, Grade, Judgment
from ticketing.times import just_after, utc_now


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
    rows = _read(path, report)
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
        tickets = named_tickets(rows, columns, store)
        reader = LabelReader(columns, tickets, JudgedQueries(kept), judge)
        graded = _graded(rows, columns, grades, report)
        said = _label_events(graded, reader, before, report)
        present = {_pair(one): one for one in latest(kept)}
        events = [_after(present.get(_pair(one)), one) for one in said]
    report.added = store.add_judgments(events)
    report.known += len(events) - report.added
    return report


def _read(path: Path, report: LabelReport) -> list[Row]:
    """The rows that can be read. Raises InputError if there is none."""
    rows: list[Row] = []
    for row in read_rows(path):
        if isinstance(row, Reject):
            leave_out(row, report.rejects)
        else:
            rows.append(row)
    if not rows:
        raise NoUsableRow(path, report.rejects)
    return rows


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
    rows: Iterable[tuple[Row, Grade]],
    reader: LabelReader,
    before: datetime | None,
    report: LabelReport,
) -> list[Judgment]:
    """What the rows say that is new; if a judge grades a pair twice, the better grade."""
    now = utc_now()
    best: dict[tuple[str, str, str], tuple[Grade, Judgment]] = {}
    for row, grade in rows:
        event = reader.event(row, grade, now)
        if isinstance(event, Reject):
            report.rejects.append(event)
        elif before and not reader.asked_before(event, before):
            report.left_out += 1
        elif reader.is_known(row, event):
            report.known += 1
        else:
            report.left_out += (pair := _pair(event)) in best
            if pair not in best or best[pair][0] < grade:
                best[pair] = grade, event
    return [event for _, event in best.values()]


def _graded(
    rows: list[Row], columns: Columns, grades: Mapping[str, Grade] | None, report: LabelReport
) -> Iterator[tuple[Row, Grade]]:
    """The rows with a known grade, and that grade; the others are rejected or left out."""
    scale = scale_of(rows, columns.grade) if grades is None else grades
    for row in rows:
        value = cell(row, columns.grade)
        grade = scale.get(value.casefold(), scale.get(whole(value)))
        if column := no_cell(row, columns):
            reason = "is neither text nor a number"
            report.rejects.append(Reject(row.file, row.line, column, reason))
        elif grade is not None:
            yield row, grade
        elif grades is None:
            reason = f"{shown(row, columns.grade)} is no grade; map it by --grade"
            report.rejects.append(Reject(row.file, row.line, columns.grade, reason))
        else:
            report.left_out += 1
            report.unmapped.add(value)
