"""A judgment event as a complete JSON object, for lossless export and import."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ticketing.errors import Conflict, first_invalid
from ticketing.limits import EVENT_ID, ID, NAME, NOTE, TICKET_TEXT, half_fault
from ticketing.stores.checks import require_same
from ticketing.tables import Reject, Row
from ticketing.tickets import Judgment
from ticketing.times import naive_utc, plausible_until

LOWEST_RANK = 10**9


@cache
def _adapter() -> TypeAdapter[Judgment]:
    return TypeAdapter(Judgment)


def is_event(values: Mapping[str, Any]) -> bool:
    """Whether a row looks like an event and not like a plain label."""
    return "event_id" in values and isinstance(values.get("query"), dict)


def to_json(event: Judgment) -> str:
    """One line of judgments.jsonl, without the line end."""
    return _adapter().dump_json(event).decode()


def from_row(row: Row) -> Judgment | Reject:
    """The event in a row of judgments.jsonl, or why there is none."""
    try:
        event = _adapter().validate_python(row.values)
    except ValidationError as error:
        field, _, message = first_invalid(error)
        return Reject(row.file, row.line, field, message)
    try:
        event = replace(event, time=naive_utc(event.time))
    except OverflowError:
        return Reject(row.file, row.line, "time", "lies outside the calendar")
    field, fault = _fault(event)
    return Reject(row.file, row.line, field, fault) if fault else event


def new_events(
    rows: Iterable[Row], kept: Iterable[Judgment], rejects: list[Reject]
) -> list[Judgment]:
    """The events of an exported file, each once; an event with the id of a different event is
    rejected."""
    events = {event.event_id: event for event in kept}
    found: dict[str, Judgment] = {}
    for row in rows:
        event = from_row(row)
        if isinstance(event, Judgment):
            try:
                require_same([events.setdefault(event.event_id, event)], [event])
                found.setdefault(event.event_id, event)
                continue
            except Conflict as error:
                event = Reject(row.file, row.line, "event_id", str(error))
        rejects.append(event)
    return list(found.values())


def _fault(event: Judgment) -> tuple[str, str]:
    """The first field that no store can keep, and why; two empty strings if there is none.

    A future time is invalid: it would override whatever the judge says until then.
    """
    texts = {
        "event_id": (EVENT_ID, event.event_id),
        "ticket_id": (ID, event.ticket_id),
        "judge": (NAME, event.judge),
        "note": (NOTE, event.note),
        "bundle_id": (NAME, event.bundle_id),
        "query.subject": (TICKET_TEXT, event.query.subject),
        "query.description": (TICKET_TEXT, event.query.description),
        "query.ticket_id": (ID, event.query.ticket_id),
    }
    for field, (limit, text) in texts.items():
        if fault := limit.text_fault(text) or half_fault(text):
            return field, fault
    if not (event.event_id and event.ticket_id):
        return "ticket_id" if event.event_id else "event_id", "is empty"
    if not event.judge.strip():
        return "judge", "is empty; name who judged"
    if not (event.query.subject.strip() or event.query.description.strip()):
        return "query.subject", "is empty, and so is the description"
    if event.time >= plausible_until():
        return "time", "lies after tomorrow; mend it"
    if event.rank is not None and not 1 <= event.rank <= LOWEST_RANK:
        return "rank", f"is none from 1 to {LOWEST_RANK:,}"
    if event.score is not None and not math.isfinite(event.score):
        return "score", "is no number"
    return "", ""
