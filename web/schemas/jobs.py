"""What page and API take and give of jobs, models and the schedule, as pydantic models."""

import re
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field

from ticketing.jobs import JobKind, JobState, Promotion
from ticketing.schedule import DEFAULT_TIME, Schedule, Weekday
from ticketing.tickets import ModelKind
from web.schemas.base import WHOLE, Body, In, Moment
from web.schemas.limited import Given, GivenName, Name
from web.schemas.responses import Out, Time

MOST_JUDGMENTS = 1_000_000

CLOCK = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
"""A time of the day, as 03:00."""


def _on_the_clock(given: str) -> str:
    if not re.fullmatch(CLOCK, given):
        raise ValueError("write a time of the day, such as 03:00")
    return given


Clock = Annotated[str, AfterValidator(_on_the_clock), Field(json_schema_extra={"pattern": CLOCK})]


class LogLineOut(Out):
    """A sentence of a job's log."""

    time: Time
    text: str


class JobOut(Out):
    """The record of a job. `done` and `total` count the items of its present step, and `rate` is
    the number of items per second."""

    id: str
    kind: JobKind
    bundle_id: str
    state: JobState
    step: str
    total: int
    done: int
    rate: float
    seconds_left: float | None = Field(
        description="estimated seconds until the job ends (a training: until its step ends); null "
        "if unknown, for example while the job is stalled"
    )
    stalled: bool = Field(
        description="whether the job has not reported for a while and no worker runs"
    )
    created: Time
    started: Time | None
    heartbeat: Time | None
    finished: Time | None
    cancel_requested: bool
    errors: dict[str, str]
    message: str
    by: str = Field(
        description="name of the person who started the job; empty for the program itself"
    )
    attempts: int
    arguments: dict[str, object] = Field(description="arguments of the job")
    result: dict[str, object] = Field(description="what the job has changed or found so far")
    log: list[LogLineOut] = Field(description="last lines of the job's log")


class PromotionIn(Body):
    """What happens when all tickets are encoded with the model."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"promotion": "ask"}]})

    promotion: Promotion = Field(
        Promotion.RULE,
        strict=False,
        description="`rule`: the model serves unless it loses to the serving one; `ask`: it waits "
        "for a yes or no; `never`: the serving model stays",
    )


class TrainingIn(Body):
    """Options of a training on the desk's tickets and judgments."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"promotion": "ask"}]})

    promotion: Promotion = Field(
        Promotion.ASK,
        strict=False,
        description="what happens with the new model; `rule` also needs the scope `promote`",
    )
    before: Moment | None = Field(
        None, description="learn only from tickets created before this time"
    )


class ImportArgs(In):
    """How to read a file of tickets; the body is the file itself."""

    name: GivenName = Field(
        description="name of the file; its ending says how it is read: .csv, .tsv or .jsonl, each "
        "also .gz, or .xlsx"
    )
    columns: str = Field(
        "",
        description="columns that do not have a usual name: field=column, separated by commas",
    )
    check_only: bool = Field(
        False, description="whether only to report what would be stored, and to store nothing"
    )

    def pairs(self) -> list[str]:
        """Each field=column."""
        return [pair for pair in self.columns.split(",") if pair.strip()]


class EvaluationIn(Body):
    """The model to measure, and another one to measure beside it, if any."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}]})

    bundle_id: Name = Field("", description="id of the model; empty for the serving one")
    other: Name = ""


class Nothing(Body):
    """An empty object: {}."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}]})


class RollbackIn(Body):
    """The model that is to serve again."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}]})

    bundle_id: str = Field(
        "", description="id of the model that served before; empty for whichever it is"
    )


class AnswerIn(Body):
    """An answer to a model that waits for one."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"yes": True}]})

    yes: bool = Field(description="true lets the model serve, false refuses it")


class CompareArgs(In):
    """Two models to compare."""

    new: Given = Field(description="id of the first model")
    old: Given = Field(description="id of the second model")


class ComparisonOut(Out):
    """Two models compared on the test queries: means of the measures, null without a query."""

    queries: int
    new: dict[str, float]
    other: dict[str, float]
    p: float = Field(
        description="how often chance alone would produce a difference as large as this one"
    )
    may_serve: bool = Field(description="whether the new model may replace the other one")


class BundleOut(Out):
    """A model."""

    id: str
    kind: ModelKind | None = Field(
        description="kind of the model; null if the model cannot be read"
    )
    trained: Time | None = Field(
        description="time of the training; null if the model does not say it"
    )
    about: str
    serves: bool
    served_before: bool = Field(description="whether a rollback would let this model serve")
    encoded: int = Field(description="number of tickets with up-to-date codes of this model")
    verdict: str = Field(description="result of its last comparison or promotion, in words")


class RollbackOut(Out):
    """The model that serves after a rollback, and what was done, in one sentence."""

    bundle_id: str
    said: str


class ScheduleIn(Body):
    """When the desk trains by itself: weekly, after new judgments, or both; with neither, never."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"weekday": "sunday", "at": "03:00", "judgments": 50, "promotion": "ask"}]
        }
    )

    weekday: Weekday | None = Field(None, strict=False, description="day of a weekly training")
    at: Clock = Field(f"{DEFAULT_TIME:%H:%M}", description="time of that day (UTC)")
    judgments: Annotated[int, Field(ge=0, le=MOST_JUDGMENTS), WHOLE] = Field(
        0, description="number of new judgments after which a training begins; 0 for never"
    )
    promotion: Promotion = Field(
        Promotion.RULE, strict=False, description="what happens with the new model"
    )


class ScheduleOut(Out):
    """When the desk trains by itself."""

    weekday: Weekday | None
    at: str = Field(pattern=CLOCK, description="time of that day (UTC)")
    judgments: int
    promotion: Promotion
    since: Time | None = Field(description="when the schedule was set, or last started a training")
    counts_since: Time | None = Field(description="time from which new judgments are counted")
    next_time: Time | None = Field(
        description="time of the next weekly training, or of a missed one"
    )
    new_judgments: int = Field(description="number of new judgments, of those that you may see")


def schedule_out(schedule: Schedule, new_judgments: int) -> dict[str, object]:
    """A schedule as the API gives it."""
    figures = {"next_time": schedule.next_time(), "new_judgments": new_judgments}
    return {**vars(schedule), "at": f"{schedule.at:%H:%M}", **figures}
