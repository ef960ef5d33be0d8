"""What the JSON API gives, as pydantic models (OpenAPI is made from them)."""

from datetime import UTC, date, datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from ticketing.recommendations import Outlook
from web.schemas.requests import GradeName

NamedGrade = Annotated[GradeName, BeforeValidator(lambda grade: getattr(grade, "name", grade))]
"""A grade of the core by its name."""

Time = Annotated[datetime, AfterValidator(lambda time: time.replace(tzinfo=UTC))]
"""A time of the core, which is naive UTC, with its zone."""


class Out(BaseModel):
    """What a program gets, made of the values of the core."""

    model_config = ConfigDict(from_attributes=True)


class TicketOut(Out):
    """A past ticket."""

    id: str
    subject: str
    description: str
    solution: str
    product: str
    status: str
    created: Time | None
    groups: Annotated[list[str], BeforeValidator(sorted)] = Field(
        description="who may see it; empty is everybody"
    )


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
    """Topics by share of tickets. `undrawn` tickets have no date, or one of no month shown."""

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
    named: list[str] = Field(
        description="numbers and codes that both name, as the query has them, three at most"
    )
    by_id: bool = Field(description="the query's subject is the ticket's id")
    by_code: bool = Field(
        description="it is there for what both name alone; nothing is known of its `chance`"
    )
    moved: str = Field(description="why its rank is not that of its distance; empty where it is")
    solved: str = Field(
        description="how a query begins that the ticket solved and by which it was found; empty"
        " where its own text is nearer"
    )


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
    named: list[str] = Field(
        description="numbers and codes that are all that was asked, where the items name one;"
        " `chance` then says little"
    )
    mentioned: list[str] = Field(
        description="ids of tickets that the query mentions and that are not among the items"
    )
    searched: int = Field(description="tickets that were scored, after filters")
    typical: dict[str, float] = Field(
        description="distance by channel of a ticket taken at random, to compare `parts` with"
    )
    meant: dict[str, str] = Field(description="unknown words of the query: what each likely means")
    items: list[RecommendationOut]


class StandingOut(Out):
    """What a judge thinks of a ticket at present, and since when."""

    judge: str
    grade: NamedGrade
    time: Time
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


class ErrorOut(Out):
    """What was wrong and what to do, in one sentence."""

    error: str
