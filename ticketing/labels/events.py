"""A judgment event as one JSON object, complete, so that it reads back equal."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ticketing.errors import first_invalid
from ticketing.tables import Reject, Row
from ticketing.tickets import Judgment
from ticketing.times import naive_utc


@cache
def _adapter() -> TypeAdapter[Judgment]:
    return TypeAdapter(Judgment)


def is_event(values: Mapping[str, Any]) -> bool:
    """Whether a row looks like an event rather than like a plain label."""
    return "event_id" in values and isinstance(values.get("query"), dict)


def to_json(event: Judgment) -> str:
    """One line of judgments.jsonl, without the line end."""
    return _adapter().dump_json(event).decode()


def from_row(row: Row) -> Judgment | Reject:
    """The event that a row of judgments.jsonl holds, or why it holds none."""
    try:
        event = _adapter().validate_python(row.values)
    except ValidationError as error:
        field, _, message = first_invalid(error)
        return Reject(row.file, row.line, field, message)
    return replace(event, time=naive_utc(event.time))
