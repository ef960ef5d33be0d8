"""What the JSON API takes, as pydantic models (OpenAPI is made from them)."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, field_validator

from ticketing.limits import OFFSET
from ticketing.recommendations import Order
from ticketing.text import meaningful, strip_markup
from ticketing.tickets import Filters, Grade, Query, Ticket
from web.schemas.base import WHOLE, Body, Flag, In, MaybeMoment, Moment
from web.schemas.limited import (
    EventId,
    GivenName,
    GivenSubject,
    Id,
    Name,
    Note,
    QueryText,
    Subject,
    TicketText,
    number_up_to,
)

GradeName = Literal["YES", "REL", "NO"]
MOST_RESULTS = 100

EXHAUST = {"subject": "Exhaust spread high", "description": "trips during run up"}
"""The query of the examples."""

EXHAUST_ID = Query(**EXHAUST).id


def grade_named(name: str | None) -> Grade | None:
    """The grade for a name, None for an undo."""
    return Grade[name] if name else None


class FiltersIn(In):
    """Which tickets may be found; an absent or empty field does not restrict."""

    product: Name = ""
    status: Name = ""
    created_since: MaybeMoment = Field(
        None, description="tickets created at this time or later; UTC if it has no time zone"
    )
    created_before: MaybeMoment = Field(None, description="tickets created before this time")
    has_solution: Flag = Field(False, description="true: only tickets with a recorded solution")

    def filters(self) -> Filters:
        """The filters as the core has them."""
        return Filters(**self.model_dump(include=set(FiltersIn.model_fields)))


class CategoryAnswerIn(In):
    """What somebody said to a proposed category; an empty `right` is an undo."""

    group: GivenName
    right: Literal["YES", "NO", ""] = ""

    def verdict(self) -> bool | None:
        """Whether it is right, as the core has it; None for an undo."""
        return {"YES": True, "NO": False, "": None}[self.right]


class Ordered(In):
    """How many of the best tickets, and in which order."""

    limit: Annotated[int, Field(ge=1, le=MOST_RESULTS), WHOLE] = 10
    order: Order = Field(
        Order.BEST,
        strict=False,
        description="`best`: best match first; `newest`: the same tickets, newest first; `text`: "
        "best match first, ranked by the texts alone, without the tickets' age",
    )


class Search(Ordered, Body):
    """Among which tickets is searched, and how much is shown."""

    filters: FiltersIn = Field(FiltersIn(), strict=False)
    exhaustive: bool = Field(
        False,
        description="whether to compare every ticket, also in a large archive, where an "
        "index chooses some",
    )


class RecommendIn(Search):
    """A new problem. It may be a mail, whose head, greeting and signature are left out. If all of
    it is in one field, the mail's subject or the first line may become its subject."""

    model_config = ConfigDict(json_schema_extra={"examples": [{**EXHAUST}]})

    subject: Subject = ""
    description: QueryText = ""


class SimilarIn(Search):
    """A ticket of the desk whose text is the query."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ticket_id": "GT-0101"}]})

    ticket_id: Id


class QueryArgs(FiltersIn, Ordered):
    """Filters, limit and order in the address of a query."""


class PageArgs(In):
    """Which page of a list, counted from 1."""

    page: int = Field(1, ge=1, le=10**9)


class TopicSort(StrEnum):
    """In which order topics come: most tickets first, by title, or rising first, which is the share
    of the last twelve months against that of all."""

    SHARE = "share"
    TITLE = "title"
    RISING = "rising"


class TopicsArgs(In):
    """Which topics, and in which order."""

    words: str = Field("", description="what the title or the words must hold")
    sort: TopicSort = Field(TopicSort.SHARE, description="share, title, or rising")


class TopicName(Body):
    """A name for a topic; if it is empty, the topic's words are its title."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Cold spots"}]})

    name: str = Field("", max_length=80)


class TopicArgs(FiltersIn):
    """Filters of a topic's tickets, and which of them."""

    limit: int = Field(20, ge=1, le=MOST_RESULTS)
    offset: Annotated[int, Field(ge=0), *number_up_to(OFFSET)] = Field(
        0, description="number of the newest tickets to skip"
    )


class JudgmentIn(Body):
    """A grade for a ticket as an answer to a query; null takes the judge's grade back."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"query_id": EXHAUST_ID, "ticket_id": "GT-0101", "grade": "YES"}]
        }
    )

    query_id: Id
    ticket_id: Id
    grade: GradeName | None
    rank: Annotated[int, Field(ge=1, le=2 * MOST_RESULTS), WHOLE] | None = Field(
        None, description="rank at which the ticket was shown"
    )
    score: float | None = Field(None, ge=1, le=5, description="score that was shown")
    event_id: EventId = Field(
        "",
        description="id chosen by the sender: an event that is sent twice with the same id "
        "counts once",
    )
    note: Note = Field("", description="a remark on the grade")
    judge: Name = Field(
        "", description="name of the judge, if it is not you; needs the scope `judge-for-others`"
    )
    seen: GradeName | Literal[""] | None = Field(
        None,
        description="grade that the sender saw before, empty for none; if it was another, "
        "the answer says so",
    )


class TicketIn(Body):
    """The texts of a past ticket, and the fields that filters use. HTML and wiki mark-up are
    removed from the texts, as in an import."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"subject": "Flame out", "solution": "Tightened the feedback.", "status": "closed"}
            ]
        }
    )

    subject: GivenSubject
    description: TicketText = ""
    solution: TicketText = ""
    product: Name = ""
    status: Name = ""
    created: Moment | None = None
    groups: list[Name] | None = Field(
        None,
        description="groups that may see the ticket; [] for everybody; if left out, the "
        "ticket keeps its groups",
    )

    def ticket(self, ticket_id: str) -> Ticket:
        """The ticket as the core has it; everybody's where no groups are given."""
        groups = frozenset(filter(None, self.groups or ()))
        return Ticket(id=ticket_id, **self.model_dump(exclude={"groups"}), groups=groups)

    @field_validator("subject", "description", "solution")
    @classmethod
    def _readable(cls, given: str) -> str:
        """A text as an import reads it; what is mark-up alone stays."""
        return strip_markup(given) or given

    @field_validator("solution")
    @classmethod
    def _solution(cls, given: str) -> str:
        """A dash or a dot is none."""
        return meaningful(given)
