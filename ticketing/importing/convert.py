"""Converts one row of an export to a ticket."""

import re
from datetime import datetime
from typing import Any

from ticketing.importing.mapping import Comments, Mapping
from ticketing.limits import COMMENTS, ticket_fault, without_halves
from ticketing.mails import read_mail, without_marks
from ticketing.tables import Reject, Row
from ticketing.text import meaningful, strip_markup
from ticketing.tickets import Ticket
from ticketing.times import parse_time


def to_ticket(row: Row, mapping: Mapping, before: datetime | None = None) -> Ticket | Reject:
    """The ticket of a row with a completed mapping, or the reason why there is none.

    Text is stored readable: without mark-up, with numbers, and without the mail around it if the
    mapping says so. Replies dated `before` or later are not
    used as solution, and neither is a text without a letter or digit.
    """
    field = ""
    try:
        texts = {}
        for field in ("subject", "description", "solution", "product", "status"):
            texts[field] = _text(_cell(row, mapping, field))
        field = "id"
        ticket_id = _id(_cell(row, mapping, field))
        field = "created"
        created = _created(_cell(row, mapping, field), mapping.date_format)
        field = "groups"
        groups = _groups(_cell(row, mapping, field))
        field = "comments"
        if mapping.comments:
            texts["solution"] = _solution(row, mapping, mapping.comments, before)
        if mapping.mails:
            texts |= _said(texts)
        field = "subject"
        if not texts["subject"] and not texts["description"]:
            raise ValueError("is empty, and so is the description")
    except ValueError as error:
        return Reject(row.file, row.line, field, str(error))
    ticket = Ticket(
        id=ticket_id,
        subject=texts["subject"],
        description=texts["description"],
        solution=meaningful(texts["solution"]),
        product=texts["product"],
        status=texts["status"],
        created=created,
        groups=groups,
    )
    field, fault = ticket_fault(ticket)
    return Reject(row.file, row.line, field, fault) if fault else ticket


def _said(texts: dict[str, str]) -> dict[str, str]:
    """The texts without the mails around them. A missing subject is taken from a mail's head."""
    subject, description = read_mail(texts["description"])
    return {
        "subject": without_marks(texts["subject"]) or subject,
        "description": description,
        "solution": read_mail(texts["solution"]).text,
    }


def _cell(row: Row, mapping: Mapping, field: str) -> Any:
    return row.values.get(getattr(mapping, field))


def _created(value: object, form: str) -> datetime | None:
    """The creation date. Raises ValueError, which mentions `date_format` if that could help."""
    try:
        return parse_time(value, form)
    except ValueError as error:
        hint = "" if form else ", or map its form, as in date_format=%m/%d/%Y"
        raise ValueError(f"{error}{hint}") from None


def _text(value: Any) -> str:
    """The readable text of a cell; a list of plain values is joined with commas."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_text, value)))
    if isinstance(value, dict):
        raise ValueError("is an object, not a text")
    return strip_markup(without_halves(str(value)))


_EXACT = 2**53
"""From here on, a JSON float does not represent all whole numbers."""


def _id(value: Any) -> str:
    """An id as it is written; the JSON number 1.0, as in a column with gaps, is 1."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        value = int(value)
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise ValueError("is missing" if value is None else "is neither text nor a whole number")
    return str(value).strip()


def _groups(value: Any) -> frozenset[str]:
    """Group names from a list, or from a text with commas or semicolons; no names means
    everybody."""
    names = (
        value if isinstance(value, list) else re.split("[,;]", str("" if value is None else value))
    )
    if isinstance(value, dict | bool | float) or not all(isinstance(name, str) for name in names):
        raise ValueError("is neither text nor a list of texts")
    return frozenset(filter(None, (without_halves(name).strip() for name in names)))


def _solution(row: Row, mapping: Mapping, comments: Comments, before: datetime | None) -> str:
    """The solution from the replies: the longest one, or all in order.

    The longest is used because the last one often only closes the ticket.
    """
    replies = row.values.get(comments.column) or []
    if not isinstance(replies, list):
        raise ValueError("is no list of replies")
    if fault := COMMENTS.fault(len(replies)):
        raise ValueError(fault)
    texts = [
        text
        for reply in replies
        if isinstance(reply, dict) and _may_serve(reply, comments, mapping.date_format, before)
        if (text := _text(reply.get(comments.text)))
    ]
    if mapping.mails:
        texts = [read_mail(text).text for text in texts]
    if comments.choose == "joined":
        return "\n\n".join(texts)
    return max(texts, key=lambda text: len(text.split()), default="")


def _may_serve(
    reply: dict[str, Any], comments: Comments, date_format: str, before: datetime | None
) -> bool:
    author = reply.get(comments.author, "")
    names = author.values() if isinstance(author, dict) else [author]
    if not {str(name).casefold() for name in names}.isdisjoint(
        map(str.casefold, comments.leave_out)
    ):
        return False
    if before is None:
        return True
    time = parse_time(reply.get(comments.time), date_format)
    return time is not None and time < before
