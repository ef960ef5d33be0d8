"""What the API of working together takes and gives, as pydantic models."""

from datetime import datetime

from pydantic import Field

from ticketing.tickets import Outlook
from web.schemas import Out, QueryOut


class FiltersOut(Out):
    """The filters that a query was asked with; empty ones do not restrict."""

    product: str
    status: str
    created_since: datetime | None
    created_before: datetime | None


class AskingOut(Out):
    """A query as it was asked, and what was answered then."""

    query: QueryOut
    filters: FiltersOut
    person: str
    time: datetime = Field(description="UTC")
    bundle_id: str = Field(description="the model that answered")
    outlook: Outlook
    chance: float = Field(description="that a YES was among the tickets shown, 0 to 1")
    shown: list[str] = Field(description="ids of the tickets, the best first")


class SavedOut(Out):
    """A saved query."""

    query: QueryOut
    filters: FiltersOut
    time: datetime


class GapOut(Out):
    """A topic of queries that nothing matched well."""

    topic: str
    askings: list[AskingOut]
