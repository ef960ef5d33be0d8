"""Texts and numbers of a request that are taken up to a limit of `ticketing.limits`.

Texts are stripped of white space at their ends, but as long as they were sent.
"""

import re
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from ticketing.limits import EVENT_ID, ID, NAME, NOTE, QUERY_TEXT, SUBJECT, TICKET_TEXT, Limit


def text_up_to(limit: Limit) -> tuple[Any, Any]:
    """A text, as it was sent, up to a limit, which the API's description says."""
    described = Field(json_schema_extra={"maxLength": limit.most})
    return BeforeValidator(partial(_within, limit)), described


def number_up_to(limit: Limit) -> tuple[Any, Any]:
    """A number up to a limit, which the API's description says."""
    return AfterValidator(partial(_within, limit)), Field(json_schema_extra={"maximum": limit.most})


def _within(limit: Limit, given: object) -> object:
    """Raises ValueError, in the limit's own words, for more than that."""
    size = len(given) if isinstance(given, str) else given
    if isinstance(size, int) and (fault := limit.fault(size)):
        raise ValueError(fault)
    return given


MORE_THAN_BLANK = r"[^\s\x1c-\x1f\x85\ufeff]"
"""What `\\S` is to Python and to readers of JSON schemas alike, who do not agree on these."""


def _not_blank(given: str) -> str:
    if not re.search(MORE_THAN_BLANK, given):
        raise ValueError("this is blank; write something")
    return given


SOMETHING = AfterValidator(_not_blank), Field(json_schema_extra={"pattern": MORE_THAN_BLANK})
"""What more than white space must be in."""

Name = Annotated[str, *text_up_to(NAME)]
Note = Annotated[str, *text_up_to(NOTE)]
Id = Annotated[str, *text_up_to(ID)]
EventId = Annotated[str, *text_up_to(EVENT_ID)]
Subject = Annotated[str, *text_up_to(SUBJECT)]
Given = Annotated[str, *SOMETHING]
GivenName = Annotated[str, *SOMETHING, *text_up_to(NAME)]
GivenSubject = Annotated[str, *SOMETHING, *text_up_to(SUBJECT)]
QueryText = Annotated[str, *text_up_to(QUERY_TEXT)]
TicketText = Annotated[str, *text_up_to(TICKET_TEXT)]
