"""Texts and numbers of a request that are taken up to a limit of `ticketing.limits`.

Texts are stripped of white space at their ends, but as long as they were sent.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from ticketing.limits import EVENT_ID, ID, NAME, NOTE, QUERY_TEXT, SUBJECT, TICKET_TEXT, Limit


@dataclass(frozen=True)
class AtMost:
    """Refuses more in the limit's own words, and says the limit in the API's description."""

    limit: Limit

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """A text is checked as it was sent, a number once it is one."""
        if source is str:
            return core_schema.no_info_before_validator_function(self._check, handler(source))
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """The described value with the most that is taken."""
        described = handler(schema)
        keyword = "maximum" if described["type"] == "integer" else "maxLength"
        return described | {keyword: self.limit.most}

    def _check(self, given: object) -> object:
        size = len(given) if isinstance(given, str) else given
        if isinstance(size, int) and (fault := self.limit.fault(size)):
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

Name = Annotated[str, AtMost(NAME)]
Note = Annotated[str, AtMost(NOTE)]
Id = Annotated[str, AtMost(ID)]
EventId = Annotated[str, AtMost(EVENT_ID)]
Subject = Annotated[str, AtMost(SUBJECT)]
Given = Annotated[str, *SOMETHING]
GivenName = Annotated[str, *SOMETHING, AtMost(NAME)]
GivenSubject = Annotated[str, *SOMETHING, AtMost(SUBJECT)]
QueryText = Annotated[str, AtMost(QUERY_TEXT)]
TicketText = Annotated[str, AtMost(TICKET_TEXT)]
