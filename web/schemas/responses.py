"""What the JSON API gives, as pydantic models (OpenAPI is made from them)."""

from datetime import UTC, date, datetime
from types import GenericAlias
from typing import Annotated, Any

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


def list_of(item: type[Out]) -> Any:
    """The schema of a list, which APIFlask takes although its types do not say so."""
    return GenericAlias(list, item)


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
        description="groups that may see the ticket; empty for everybody"
    )


class QueryOut(Out):
    """A query; its page is /queries/<id>. `ticket_id` is set if the query is itself a ticket."""

    id: str
    subject: str
    description: str
    ticket_id: str


class PartOut(Out):
    """One part of the distance, by channel and pair of components; that of `age` has no pair."""

    channel: str = Field(
        description="h: sentence, E: meaning of words, T: topics, L: the same words, "
        "S: sentence encoder, age: time between query and ticket"
    )
    query_component: str = Field(description="SUB1 or DESC1; empty for age")
    ticket_component: str = Field(
        description="SUB2, DESC2 or SOL2; all of them, joined by +, for the words that the whole "
        "ticket lacks; empty for age"
    )
    distance: float


class TopicOut(Out):
    """A topic that query and ticket share."""

    topic: int
    words: list[str]
    weight: float


class MonthOut(Out):
    """A topic in a month (its first day): `tickets` of the month's `of` tickets are about it."""

    month: date
    tickets: int
    of: int
    share: float | None = Field(
        description="share of the month's tickets, 0 to 1; null if the month has no ticket"
    )


class TrendOut(Out):
    """A topic, the number of tickets whose main topic it is, in total and in every month."""

    topic: int
    title: str = Field(description="name that a person gave the topic, otherwise its words")
    words: list[str]
    tickets: int
    share: float
    months: list[MonthOut]


class TopicsOut(Out):
    """The topics, most frequent first. `without_topic` is the number of tickets without a main
    topic, `undrawn` that of tickets in no month (no date, or one that is too early or too late)."""

    bundle_id: str
    tickets: int
    without_topic: int
    undrawn: int
    topics: list[TrendOut]


class TopicTicketsOut(TrendOut):
    """A topic with its tickets, newest first."""

    items: list[TicketOut]


class SharedWordOut(Out):
    """A telling word that both texts share: `word` as in the query, `tokens` as in the ticket."""

    word: str
    weight: float = Field(description="rarity of the word in the archive (idf)")
    tokens: list[str]


class AlikeWordsOut(Out):
    """Two different words that the model takes to mean the same."""

    query_word: str
    ticket_word: str
    similarity: float = Field(description="0 to 1")


class ReasonOut(Out):
    """Why the ticket was proposed: one `sentence`, and the facts behind it."""

    sentence: str
    shared: list[SharedWordOut]
    alike: list[AlikeWordsOut]
    named: list[str] = Field(
        description="numbers and codes that both texts contain, as the query writes them; "
        "three at most"
    )
    by_id: bool = Field(description="whether the query's subject is the ticket's id")
    by_code: bool = Field(
        description="whether the ticket was found only by the numbers and codes in `named`; "
        "`chance` then says nothing"
    )
    moved: str = Field(
        description="sentence that says what changed the rank beside the distance; empty if "
        "nothing did"
    )
    solved: str = Field(
        description="beginning of an earlier query that the ticket solved and by which it was "
        "found; empty if the ticket's own text is nearer"
    )


class RecommendationOut(Out):
    """A proposed ticket; `parts` add up to `distance`."""

    rank: int = Field(description="rank by match, 1 for the best, in any `order`")
    ticket: TicketOut
    score: float = Field(description="expected rating, 5 P(YES) + 3 P(REL) + 1 P(NO)")
    chance: float = Field(
        description="P(YES): probability that the ticket solves the problem, 0 to 1"
    )
    chance_related: float = Field(
        description="P(REL): probability that the ticket is only related, 0 to 1"
    )
    distance: float
    parts: list[PartOut]
    topics: list[TopicOut]
    reason: ReasonOut
    answer: str = Field(description="sentence of the solution that answers the query best")
    like: list["RecommendationOut"] = Field(
        description="near-copies: tickets of lower rank that say nearly the same"
    )


class RecommendationsOut(Out):
    """The answer to a query, in the order asked for."""

    query: QueryOut
    bundle_id: str
    outlook: Outlook = Field(description="what to expect of the items; follows from `chance`")
    chance: float = Field(description="probability that a YES is among the ten best, 0 to 1")
    note: str = Field(description="why nothing matches well; otherwise empty")
    named: list[str] = Field(
        description="the query's numbers and codes, if it has nothing else and the items were "
        "found by them; `chance` then says little"
    )
    mentioned: list[str] = Field(
        description="ids of tickets that the query mentions and that are not among the items"
    )
    searched: int = Field(description="number of tickets that passed the filters")
    typical: dict[str, float] = Field(
        description="mean distance of a random ticket by channel, to compare `parts` with"
    )
    meant: dict[str, str] = Field(
        description="unknown words of the query, each with the known word that was probably meant"
    )
    items: list[RecommendationOut]


class StandingOut(Out):
    """A judge's present grade of a ticket, and when it was given."""

    judge: str
    grade: NamedGrade
    time: Time
    note: str


class QueryAnswerOut(RecommendationsOut):
    """The present answer to a query that was asked before, with its judgments."""

    grades: dict[str, GradeName] = Field(description="your own grades, by ticket id")
    judgments: dict[str, list[StandingOut]] = Field(
        description="grades of all judges, by ticket id, latest first"
    )


class JudgmentOut(Out):
    """This judge's grade after the event."""

    query_id: str
    ticket_id: str
    grade: GradeName | None
    replaced: str = Field(
        description="sentence, if this replaced another grade than `seen`; otherwise empty"
    )


class ErrorOut(Out):
    """What was wrong and what to do, in one sentence."""

    error: str
