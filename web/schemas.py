"""What the JSON API takes and gives, as pydantic models (OpenAPI is made from them)."""

from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from ticketing.tickets import Filters, Grade, Order, Outlook, Ticket

GradeName = Literal["YES", "REL", "NO"]
MOST_RESULTS = 100


def readable_time(given: object, read: ValidatorFunctionWrapHandler) -> datetime:
    """A date or a time of ISO 8601. Raises ValueError in words a person can act on."""
    try:
        time: datetime = read(given)
    except ValidationError:
        raise ValueError(
            f"{str(given)[:30]!r} is no date; write one as 2013-05-31, or with a time as "
            "2013-05-31T14:30"
        ) from None
    return time


def naive_utc(time: datetime) -> datetime:
    """The same moment without a time zone; a time that names none is taken as UTC."""
    try:
        return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time
    except OverflowError:
        raise ValueError("the time lies outside the calendar") from None


def grade_named(name: str | None) -> Grade | None:
    """The grade for a name, None for an undo."""
    return Grade[name] if name else None


NamedGrade = Annotated[GradeName, BeforeValidator(lambda grade: getattr(grade, "name", grade))]
"""A grade of the core by its name."""

Moment = Annotated[datetime, WrapValidator(readable_time), AfterValidator(naive_utc)]


class In(BaseModel):
    """What a program sends: nothing that is not known."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Out(BaseModel):
    """What a program gets, made of the values of the core."""

    model_config = ConfigDict(from_attributes=True)


class FiltersIn(In):
    """Which tickets may be found; an absent or empty field does not restrict."""

    product: str = ""
    status: str = ""
    created_since: Moment | None = Field(
        None, description="inclusive; UTC unless it says otherwise"
    )
    created_before: Moment | None = Field(None, description="exclusive")

    def filters(self) -> Filters:
        """The same as the core's value."""
        return Filters(self.product, self.status, self.created_since, self.created_before)


class CategoryAnswerIn(In):
    """What somebody said to a proposed category; an empty `right` is an undo."""

    group: str = Field(min_length=1)
    right: Literal["YES", "NO", ""] = ""

    def verdict(self) -> bool | None:
        """The same as the core's value."""
        return {"YES": True, "NO": False, "": None}[self.right]


class Ordered(In):
    """How many of the best tickets, and in which order; `newest` shows the same ones by date."""

    limit: int = Field(10, ge=1, le=MOST_RESULTS)
    order: Order = Field(Order.BEST, description="best match first, or newest of the best first")


class RecommendIn(Ordered):
    """A new problem."""

    subject: str = ""
    description: str = ""
    filters: FiltersIn = FiltersIn()


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


class TopicName(In):
    """What to call a topic; empty lets its words be its title."""

    name: str = Field("", max_length=80)


class TopicArgs(FiltersIn):
    """Filters of a topic's tickets, and which of them."""

    limit: int = Field(20, ge=1, le=MOST_RESULTS)
    offset: int = Field(0, ge=0, le=10**9, description="tickets to leave out, newest first")


class JudgmentIn(In):
    """A grade for a ticket as an answer to a query; null takes the judge's grade back."""

    query_id: str
    ticket_id: str
    grade: GradeName | None
    rank: int | None = Field(
        None, ge=1, le=2 * MOST_RESULTS, description="rank at which the ticket was shown"
    )
    score: float | None = Field(None, ge=1, le=5, description="score that was shown")
    event_id: str = Field("", max_length=100, description="the same id sent twice counts once")
    note: str = Field("", max_length=2000, description="what you have to say beside the grade")
    seen: GradeName | Literal[""] | None = Field(
        None, description="the grade that the page showed, empty for none"
    )


class TicketIn(In):
    """A past ticket's text and what a filter may ask for."""

    subject: str = Field(min_length=1)
    description: str = ""
    solution: str = ""
    product: str = ""
    status: str = ""
    created: Moment | None = None

    def ticket(self, ticket_id: str) -> Ticket:
        """The same as the core's value."""
        return Ticket(id=ticket_id, **self.model_dump())


class TicketOut(Out):
    """A past ticket."""

    id: str
    subject: str
    description: str
    solution: str
    product: str
    status: str
    created: datetime | None


class QueryOut(Out):
    """The problem that was asked; `id` is its address, /queries/<id>."""

    id: str
    subject: str
    description: str
    ticket_id: str


class PartOut(Out):
    """One term of the distance; that of channel `age` belongs to no pair of components."""

    channel: str = Field(
        description="h sentence, E meaning of words, T topics, L the same words, age time apart"
    )
    query_component: str = Field(description="SUB1 or DESC1; empty for age")
    ticket_component: str = Field(description="SUB2, DESC2 or SOL2; empty for age")
    distance: float


class TopicOut(Out):
    """A topic that query and ticket share."""

    topic: int
    words: list[str]
    weight: float


class MonthOut(Out):
    """Tickets of a month (its first day) with the topic, of all its tickets; share 0 to 1."""

    month: date
    tickets: int
    of: int
    share: float | None = Field(description="null for a month without any ticket")


class TrendOut(Out):
    """A topic, the tickets whose main topic it is, and its months without a gap."""

    topic: int
    title: str = Field(description="the name that somebody gave it, else its words")
    words: list[str]
    tickets: int
    share: float
    months: list[MonthOut]


class TopicsOut(Out):
    """Topics by share of tickets. `undrawn` tickets have no date, or one before all months."""

    bundle_id: str
    tickets: int
    without_topic: int
    undrawn: int
    topics: list[TrendOut]


class TopicTicketsOut(TrendOut):
    """A topic with its tickets, newest first."""

    items: list[TicketOut]


class SharedWordOut(Out):
    """A telling word of both texts, as the query writes it; the ticket has it as `tokens`."""

    word: str
    weight: float = Field(description="idf: how much the word tells")
    tokens: list[str]


class AlikeWordsOut(Out):
    """Two words that the model takes for each other."""

    query_word: str
    ticket_word: str
    similarity: float = Field(description="0 to 1")


class ReasonOut(Out):
    """Why the ticket was proposed: the same in words and as a `sentence`."""

    sentence: str
    shared: list[SharedWordOut]
    alike: list[AlikeWordsOut]
    by_id: bool = Field(description="the query's subject is the ticket's id")


class RecommendationOut(Out):
    """A proposed ticket; `parts` add up to `distance`."""

    rank: int = Field(description="by match, 1 is the best, whatever the order")
    ticket: TicketOut
    score: float = Field(description="expected rating, 5 P(YES) + 3 P(REL) + 1 P(NO)")
    chance: float = Field(description="P(YES), 0 to 1: that it answers the query")
    chance_related: float = Field(description="P(REL), 0 to 1: that it is related, no more")
    distance: float
    parts: list[PartOut]
    topics: list[TopicOut]
    reason: ReasonOut
    answer: str = Field(description="the sentence of the solution that answers the query best")
    like: list["RecommendationOut"] = Field(
        description="tickets that say nearly the same, ranked lower"
    )


class RecommendationsOut(Out):
    """The answer to a query, in the order asked for."""

    query: QueryOut
    bundle_id: str
    outlook: Outlook = Field(description="what to expect of the items, by their `chance`")
    chance: float = Field(description="that a YES is among the ten best, 0 to 1")
    note: str = Field(description="why nothing matches well, where nothing does")
    searched: int = Field(description="tickets that were scored, after filters")
    typical: dict[str, float] = Field(
        description="distance by channel of a ticket taken at random, to compare `parts` with"
    )
    meant: dict[str, str] = Field(description="unknown words of the query: what each likely means")
    items: list[RecommendationOut]


class StandingOut(Out):
    """What a judge thinks of a ticket at present, and since when (UTC)."""

    judge: str
    grade: NamedGrade
    time: datetime
    note: str


class QueryAnswerOut(RecommendationsOut):
    """The answer to a query asked before, with what was judged of it."""

    grades: dict[str, GradeName] = Field(description="your own, by ticket id")
    judgments: dict[str, list[StandingOut]] = Field(
        description="of all judges, by ticket id, the latest first"
    )


class JudgmentOut(Out):
    """This judge's grade after the event."""

    query_id: str
    ticket_id: str
    grade: GradeName | None
    replaced: str = Field(description="says where it replaced a grade that `seen` does not know of")


class JobOut(Out):
    """A job's record, with its rate (tickets a second) and the seconds it still needs."""

    id: str
    kind: str
    bundle_id: str
    state: str
    total: int
    done: int
    rate: float
    seconds_left: float | None
    stalled: bool = Field(description="no worker has reported for a while")
    created: datetime
    started: datetime | None
    heartbeat: datetime | None
    finished: datetime | None
    cancel_requested: bool
    errors: dict[str, str]
    message: str


class ErrorOut(Out):
    """What was wrong and what to do, in one sentence."""

    error: str
