"""What the API of working together takes and gives, as pydantic models."""

from datetime import date
from typing import Annotated

from pydantic import ConfigDict, Field

from ticketing.desk.workspace import Round, Sampling
from ticketing.recommendations import Outlook
from web.schemas.base import WHOLE, Body, In, MaybeMoment
from web.schemas.limited import EventId, Given, GivenName, GivenSubject
from web.schemas.responses import Out, QueryOut, StandingOut, Time

MOST_QUERIES = 50
"""Queries of a round, at most."""
MOST_ASKINGS = 1000


class FiltersOut(Out):
    """The filters that a query was asked with; empty ones do not restrict."""

    product: str
    status: str
    created_since: Time | None
    created_before: Time | None
    has_solution: bool


class AskedOut(Out):
    """A query as somebody asked it, and what was answered then."""

    query: QueryOut
    filters: FiltersOut
    time: Time
    bundle_id: str = Field(description="id of the model that answered")
    outlook: Outlook
    chance: float | None = Field(
        description="probability that a YES is among the tickets shown, 0 to 1; null if they were "
        "found by their id or a code"
    )
    shown: list[str] = Field(description="ids of the tickets shown, best first")


class AskingOut(AskedOut):
    """A query as it was asked, by whom, and what was answered then."""

    person: str


class SavedOut(Out):
    """A saved query."""

    query: QueryOut
    filters: FiltersOut
    time: Time


class GapOut(Out):
    """A topic of queries that nothing matched well."""

    topic: str
    askings: list[AskedOut]


class RoundIn(Body):
    """How to choose queries to judge."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"by": "random", "size": 5}]})

    by: Sampling = Field(
        Sampling.RANDOM,
        strict=False,
        description="`random`: any queries; `uncertain`: those whose chance of an answer is "
        "nearest to one half; "
        "`different`: those whose ten best tickets differ most between two models",
    )
    size: Annotated[int, Field(ge=1, le=MOST_QUERIES, description="number of queries"), WHOLE] = 10
    seed: Annotated[
        int, Field(ge=0, description="seed of the choice and of the tickets' order"), WHOLE
    ] = 0
    other: str = Field(
        "", description="id of the model to compare the serving one with; required by `different`"
    )


class HistoryArgs(In):
    """Which of the queries that you asked."""

    limit: int = Field(100, ge=1, le=MOST_ASKINGS)
    offset: int = Field(0, ge=0, le=10**9, description="number of the latest queries to skip")


class RoundArgs(In):
    """The address of a round of judging."""

    queries: Given = Field(description="ids of the queries, separated by commas")
    bundles: Given = Field(
        description="ids of the models whose ten best tickets are judged, separated by commas"
    )
    seed: int = Field(0, ge=0, description="seed of the tickets' order")
    after: int = Field(0, ge=0, le=10**6, description="number of tickets to skip")
    begun: MaybeMoment = Field(
        None, description="when the round was chosen; the page offers no Undo of older grades"
    )

    def round(self) -> Round:
        """The round as the core has it."""
        queries = tuple(dict.fromkeys(self.queries.split(",")))[:MOST_QUERIES]
        return Round(queries, tuple(dict.fromkeys(self.bundles.split(",")))[:2], self.seed)


class PairOut(Out):
    """A ticket to judge for a query, and your judgment, if there is one."""

    query: QueryOut
    ticket_id: str
    judged: StandingOut | None


class RoundOut(Out):
    """A round of judging: its queries, its models, and its tickets in the order to judge them."""

    queries: list[str]
    bundles: list[str]
    seed: int
    pairs: list[PairOut]


class DisagreementOut(Out):
    """Two judges' grades of one ticket for one query."""

    query_id: str
    ticket_id: str
    one: StandingOut
    other: StandingOut


class AgreementOut(Out):
    """How often two judges agree on the tickets that both judged."""

    judges: list[str] = Field(description="names of the two judges")
    both: int = Field(description="number of tickets that both judged")
    same: int = Field(description="number of these with the same grade")
    kappa: float | None = Field(
        description="Cohen's kappa; null if both gave only one and the same grade"
    )
    disagreements: list[DisagreementOut]


class SolvedOut(Out):
    """A query that a ticket solved, as a judge says."""

    query: QueryOut
    judge: str
    time: Time
    note: str


class QualityOut(Out):
    """Quality of the answers in a period; a share is null if there is nothing to count."""

    asked: int
    judged: int = Field(description="number of queries for which a shown ticket was judged")
    yes_at_1: float | None = Field(
        description="share of the judged queries whose first ticket is a YES, 0 to 1"
    )
    yes_in_ten: float | None = Field(
        description="share of the judged queries with a YES among the first ten, 0 to 1"
    )
    judged_at_10: float | None = Field(
        description="share of the judged queries' shown tickets that were judged, 0 to 1"
    )
    no_match: float | None = Field(
        description="share of all queries that nothing matched well, 0 to 1"
    )


class WeekOut(Out):
    """The quality of a week (its Monday) under a model."""

    week: date
    bundle_id: str
    quality: QualityOut


class SwitchOut(Out):
    """A change of the serving model, and the quality before and after it."""

    time: Time
    bundle_id: str
    said: str
    before: QualityOut
    after: QualityOut


class QualityReportOut(Out):
    """Quality over time."""

    overall: QualityOut
    weeks: list[WeekOut]
    switches: list[SwitchOut]


class CategoryArgs(In):
    """A subject, and how many categories to propose for it."""

    subject: GivenSubject
    limit: int = Field(3, ge=1, le=100)


class ProposalOut(Out):
    """A category that may be right for a subject."""

    group: str = Field(description="the category")
    title: str = Field(
        description="known title of this category that is most similar to the subject"
    )
    score: float = Field(description="similarity of subject and title; 1 if they are equal")
    chance: float | None = Field(
        description="probability that the category is right; null if it is unknown"
    )
    right: bool | None = Field(description="your verdict; null if you gave none")


class CategoryIn(Body):
    """A verdict on a category for a subject."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"subject": "Exhaust spread high", "group": "SGT-400", "right": True}]
        }
    )

    subject: GivenSubject
    group: GivenName = Field(description="the category")
    right: bool | None = Field(
        description="true for right, false for wrong; null takes your verdict back"
    )
    event_id: EventId = Field(
        "",
        description="id chosen by the sender: an event that is sent twice with the same id "
        "counts once",
    )
