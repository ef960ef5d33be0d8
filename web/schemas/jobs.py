"""What page and API take and give of jobs, models and the schedule, as pydantic models."""

import re
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field

from ticketing.jobs import JobKind, JobState, Promotion
from ticketing.schedule import DEFAULT_TIME, Schedule, Weekday
from ticketing.tickets import ModelKind
from web.schemas.limited import Given, GivenName, Name
from web.schemas.requests import WHOLE, Body, In, Moment
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
    """A job's record, with its rate (of what it counts, a second) and the seconds it still
    needs."""

    id: str
    kind: JobKind
    bundle_id: str
    state: JobState
    step: str
    total: int
    done: int
    rate: float
    seconds_left: float | None = Field(
        description="of a training those of its step; null where nobody knows, as while it is"
        " stalled"
    )
    stalled: bool = Field(description="nobody has reported for a while, and no worker lives")
    created: Time
    started: Time | None
    heartbeat: Time | None
    finished: Time | None
    cancel_requested: bool
    errors: dict[str, str]
    message: str
    by: str = Field(description="who asked for it")
    attempts: int
    arguments: dict[str, object] = Field(description="what was asked for")
    result: dict[str, object] = Field(description="what it has changed or found so far")
    log: list[LogLineOut] = Field(description="the last lines")


class PromotionIn(Body):
    """What becomes of a model whose tickets are encoded."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"promotion": "ask"}]})

    promotion: Promotion = Field(
        Promotion.RULE,
        strict=False,
        description="rule: it serves unless it loses; ask: it waits for an answer; never: it is"
        " only encoded",
    )


class TrainingIn(Body):
    """A training: a new model of all tickets and judgments."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"promotion": "ask"}]})

    promotion: Promotion = Field(
        Promotion.ASK,
        strict=False,
        description="what becomes of it; rule asks for the scope promote as well",
    )
    before: Moment | None = Field(None, description="learn only from tickets created before")


class ImportArgs(In):
    """A file of tickets, which is the body itself."""

    name: GivenName = Field(
        description="the file's name, which says how it is read: .csv, .tsv or .jsonl, each also "
        ".gz"
    )
    columns: str = Field(
        "",
        description="where the usual names would be wrong: field=column, separated by commas",
    )
    check_only: bool = Field(False, description="say what would be stored, and store nothing")

    def pairs(self) -> list[str]:
        """Each field=column."""
        return [pair for pair in self.columns.split(",") if pair.strip()]


class EvaluationIn(Body):
    """Which model to measure, and which beside it."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}]})

    bundle_id: Name = Field("", description="the serving one unless given")
    other: Name = ""


class Nothing(Body):
    """Nothing but {}."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}]})


class RollbackIn(Body):
    """Which model serves again."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}]})

    bundle_id: str = Field("", description="the one that served before; empty is whichever it is")


class AnswerIn(Body):
    """An answer to a model that waits for one."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"yes": True}]})

    yes: bool = Field(description="true lets the model serve")


class CompareArgs(In):
    """Two models."""

    new: Given = Field(description="id of the one")
    old: Given = Field(description="id of the other")


class ComparisonOut(Out):
    """Two models on the test queries; the means are null where there are none."""

    queries: int
    new: dict[str, float]
    other: dict[str, float]
    p: float = Field(description="how often chance alone would set them as far apart")
    may_serve: bool = Field(description="whether the new one may take the other's place")


class BundleOut(Out):
    """A model."""

    id: str
    kind: ModelKind | None = Field(description="null where it cannot be read")
    trained: Time | None = Field(description="null where the model does not say it")
    about: str
    serves: bool
    served_before: bool = Field(description="a rollback would go back to it")
    encoded: int = Field(description="tickets that carry fresh codes under it")
    verdict: str = Field(description="what came of it when it was last compared or promoted")


class RollbackOut(Out):
    """What a rollback did."""

    bundle_id: str
    said: str


class ScheduleIn(Body):
    """When the desk trains by itself; with neither a day nor judgments it never does."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"weekday": "sunday", "at": "03:00", "judgments": 50, "promotion": "ask"}]
        }
    )

    weekday: Weekday | None = Field(None, strict=False, description="day of a weekly training")
    at: Clock = Field(f"{DEFAULT_TIME:%H:%M}", description="when on that day (UTC)")
    judgments: Annotated[int, Field(ge=0, le=MOST_JUDGMENTS), WHOLE] = Field(
        0, description="train after so many new judgments; 0 is never"
    )
    promotion: Promotion = Field(
        Promotion.RULE, strict=False, description="what becomes of the new model"
    )


class ScheduleOut(Out):
    """When the desk trains by itself."""

    weekday: Weekday | None
    at: str = Field(pattern=CLOCK, description="UTC")
    judgments: int
    promotion: Promotion
    since: Time | None = Field(description="when it was set or last began a training")
    counts_since: Time | None = Field(description="since when new judgments count")
    next_time: Time | None = Field(description="the weekly time that comes next")
    new_judgments: int = Field(description="of those you may see, that came since they count")


def schedule_out(schedule: Schedule, new_judgments: int) -> dict[str, object]:
    """A schedule as the API gives it."""
    figures = {"next_time": schedule.next_time(), "new_judgments": new_judgments}
    return {**vars(schedule), "at": f"{schedule.at:%H:%M}", **figures}
