"""What the JSON API takes, as pydantic models (OpenAPI is made from them)."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from ticketing.limits import OFFSET
from ticketing.recommendations import Order
from ticketing.text import meaningful, strip_markup
from ticketing.tickets import Filters, Grade, Query, Ticket
from ticketing.times import naive_utc
from web.schemas.limited import (
    AtMost,
    EventId,
    GivenName,
    GivenSubject,
    Id,
    Name,
    Note,
    QueryText,
    Subject,
    TicketText,
)

GradeName = Literal["YES", "REL", "NO"]
MOST_RESULTS = 100

EXHAUST = {"subject": "Exhaust spread high", "description": "trips during run up"}
"""The query of the examples."""

EXHAUST_ID = Query(**EXHAUST).id


def readable_time(given: object) -> datetime:
    """A date or a time of ISO 8601 as naive UTC; one that names no zone is taken as UTC, and one
    that its zone moves out of the calendar as the calendar's first or last moment.

    Raises ValueError in words a person can act on.
    """
    try:
        time = datetime.fromisoformat(str(given))
    except ValueError:
        raise ValueError(
            f"{str(given)[:30]!r} is no date; write one as 2013-05-31, or with a time as "
            "2013-05-31T14:30"
        ) from None
    try:
        return naive_utc(time)
    except OverflowError:
        return datetime.min if time.year == datetime.min.year else datetime.max


def grade_named(name: str | None) -> Grade | None:
    """The grade for a name, None for an undo."""
    return Grade[name] if name else None


def whole(given: object) -> object:
    """A number of JSON without a fraction as an integer: 3.0 is 3."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


def _none_if_empty(given: object) -> object:
    return None if given == "" else given


_FLAGS = {"": False, "false": False, "true": True, "yes": True}


def _flag(given: object) -> object:
    """Addresses and forms send texts."""
    return _FLAGS.get(given, given) if isinstance(given, str) else given


WHOLE = BeforeValidator(whole)
Moment = Annotated[datetime, BeforeValidator(readable_time)]
MaybeMoment = Annotated[
    Moment | None,
    BeforeValidator(_none_if_empty),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "format": "date-time"},
                {"type": "string", "maxLength": 0},
                {"type": "null"},
            ]
        }
    ),
]
"""None may be written as an empty text, as a form sends it."""


Flag = Annotated[
    bool,
    Field(strict=True),
    BeforeValidator(_flag),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, {"type": "string", "enum": [*_FLAGS]}]}),
]


def _stripped(given: object) -> object:
    """Texts without all that is white space to Python at their ends, as the forms and imports strip
    them: pydantic leaves four characters (U+001C to U+001F)."""
    if isinstance(given, list):
        return [_stripped(one) for one in given]
    return given.strip() if type(given) is str else given


class In(BaseModel):
    """What a program sends: nothing that is not known, and texts without white space at their
    ends."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    AS_TYPED: ClassVar[frozenset[str]] = frozenset()
    """Fields whose white space counts."""

    @field_validator("*")
    @classmethod
    def _strip(cls, given: object, info: ValidationInfo) -> object:
        return given if info.field_name in cls.AS_TYPED else _stripped(given)


class Body(In):
    """A JSON object, whose types count: "1" is no number, and neither is true."""

    model_config = ConfigDict(strict=True)


class FiltersIn(In):
    """Which tickets may be found; an absent or empty field does not restrict."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"product": "SGT-400", "created_since": "2013-01-01"}]}
    )

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


class RecommendIn(Ordered, Body):
    """A new problem."""

    model_config = ConfigDict(json_schema_extra={"examples": [{**EXHAUST}]})

    subject: Subject = ""
    description: QueryText = ""
    filters: FiltersIn = Field(FiltersIn(), strict=False)
    exhaustive: bool = Field(
        False,
        description="whether to compare every ticket, also in a large archive, where an "
        "index chooses some",
    )


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
    offset: Annotated[int, Field(ge=0), AtMost(OFFSET)] = Field(
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
