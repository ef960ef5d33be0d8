"""Texts and numbers of a request that are taken up to a limit of `ticketing.limits`."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
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
        """Checked after the type."""
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """With the most that is taken."""
        described = handler(schema)
        keyword = "maximum" if described["type"] == "integer" else "maxLength"
        return described | {keyword: self.limit.most}

    def _check(self, given: int | str) -> int | str:
        if fault := self.limit.fault(given if isinstance(given, int) else len(given)):
            raise ValueError(fault)
        return given


SOMETHING = Field(min_length=1)

Name = Annotated[str, AtMost(NAME)]
Note = Annotated[str, AtMost(NOTE)]
Id = Annotated[str, AtMost(ID)]
EventId = Annotated[str, AtMost(EVENT_ID)]
Subject = Annotated[str, AtMost(SUBJECT)]
GivenName = Annotated[str, SOMETHING, AtMost(NAME)]
GivenSubject = Annotated[str, SOMETHING, AtMost(SUBJECT)]
QueryText = Annotated[str, AtMost(QUERY_TEXT)]
TicketText = Annotated[str, AtMost(TICKET_TEXT)]
