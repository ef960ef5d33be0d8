"""What the API of working together takes and gives, as pydantic models."""

from datetime import date
from typing import Annotated

from pydantic import ConfigDict, Field

from ticketing.desk.workspace import Round, Sampling
from ticketing.recommendations import Outlook
from web.schemas.limited import EventId, Given, GivenName, GivenSubject
from web.schemas.requests import WHOLE, Body, In
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


class AskedOut(Out):
    """A query as somebody asked it, and what was answered then."""

    query: QueryOut
    filters: FiltersOut
    time: Time
    bundle_id: str = Field(description="the model that answered")
    outlook: Outlook
    chance: float | None = Field(
        description="that a YES was among the tickets shown, 0 to 1; null where they were found by"
        " their id or a code"
    )
    shown: list[str] = Field(description="ids of the tickets, the best first")


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
        description="at random, by a chance of an answer nearest to one half, or where the ten "
        "best of two models differ",
    )
    size: Annotated[int, Field(ge=1, le=MOST_QUERIES, description="queries"), WHOLE] = 10
    seed: Annotated[int, Field(ge=0, description="of what is drawn and shuffled"), WHOLE] = 0
    other: str = Field("", description="the model to compare the serving one with")


class HistoryArgs(In):
    """Which of the queries that you asked."""

    limit: int = Field(100, ge=1, le=MOST_ASKINGS)
    offset: int = Field(0, ge=0, le=10**9, description="later ones to leave out")


class RoundArgs(In):
    """The address of a round of judging."""

    queries: Given = Field(description="ids, separated by commas")
    bundles: Given = Field(description="ids of the models whose ten best are judged")
    seed: int = Field(0, ge=0, description="of the order of the tickets")
    after: int = Field(0, ge=0, le=10**6, description="tickets to pass over")

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
    """A round of judging: what its address says, and its tickets in the order to judge them."""

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
    """How far two judges agree on what both judged."""

    judges: list[str] = Field(description="the two")
    both: int = Field(description="tickets that both judged")
    same: int = Field(description="of these, with the same grade")
    kappa: float | None = Field(description="Cohen's; null where both gave one grade alone")
    disagreements: list[DisagreementOut]


class SolvedOut(Out):
    """A query that a ticket solved, as a judge says."""

    query: QueryOut
    judge: str
    time: Time
    note: str


class QualityOut(Out):
    """What became of the queries asked in some time; shares are null where there is nothing."""

    asked: int
    judged: int = Field(description="of which a shown ticket was judged")
    yes_at_1: float | None = Field(description="of the judged ones, 0 to 1")
    yes_in_ten: float | None = Field(description="of the judged ones, 0 to 1")
    judged_at_10: float | None = Field(description="of their shown tickets, 0 to 1")
    no_match: float | None = Field(description="of all, those that nothing matched well")


class WeekOut(Out):
    """The quality of a week (its Monday) under a model."""

    week: date
    bundle_id: str
    quality: QualityOut


class SwitchOut(Out):
    """A model that came to serve, and the quality before and after."""

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
    title: str = Field(description="the known title that speaks for it")
    score: float = Field(description="1 for the same title")
    chance: float | None = Field(description="that it is right; null where too few titles told")
    right: bool | None = Field(description="what you said to it")


class CategoryIn(Body):
    """What somebody says to a category for a subject."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"subject": "Exhaust spread high", "group": "SGT-400", "right": True}]
        }
    )

    subject: GivenSubject
    group: GivenName = Field(description="the category")
    right: bool | None = Field(description="null takes your answer back")
    event_id: EventId = Field("", description="the same id sent twice counts once")
