"""Jobs: their kinds, states and steps, and the record of each job."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from ticketing.files import Json

LOG_LINES = 200
"""Number of log lines kept per job, the last ones."""


class JobKind(StrEnum):
    """What a job does."""

    REINDEX = "reindex"
    """Encodes every ticket under a bundle, compares it with the serving one, promotes it."""
    TRAINING = "training"
    """Trains a bundle on the desk's tickets and judgments; a reindex follows."""
    EVALUATION = "evaluation"
    """Measures bundles on judgments and keeps a report."""
    IMPORT = "import"
    """Stores the tickets of uploaded files."""
    PROMOTION = "promotion"
    """No work: it records the decision about a bundle that was to serve."""

    @property
    def side_by_side(self) -> bool:
        """Whether several jobs of this kind may run at the same time for the same bundle."""
        return self in (JobKind.EVALUATION, JobKind.IMPORT)


class JobState(StrEnum):
    """The state of a job; a `waiting` job waits for a yes or no."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def final(self) -> bool:
        """Whether the job has ended."""
        return self in (JobState.DONE, JobState.CANCELLED, JobState.FAILED)


class Step(StrEnum):
    """What a job is doing now."""

    ENCODING = "encoding"
    COMPARING = "comparing"
    """All tickets are encoded; the bundle is compared with the serving one."""
    PROMOTING = "promoting"
    READING = "reading"
    PRETRAINING = "pretraining"
    """Learning word vectors and topics, and encoding the archive with the teacher."""
    TRAINING = "training"
    FITTING = "fitting"
    """Fitting the weights and the calibration of the trained network."""
    MEASURING = "measuring"
    IMPORTING = "importing"
    CHECKING = "checking"
    """Reading the files of an import before anything is stored."""


class Promotion(StrEnum):
    """What happens when all tickets are encoded with a bundle: `rule`: it serves unless it loses;
    `ask`: the job waits for a yes or no; `never`: the serving bundle stays."""

    RULE = "rule"
    ASK = "ask"
    NEVER = "never"


class Stopped(Exception):
    """Raised by `OnStep` to stop the work; its checkpoints stay."""


class OnStep(Protocol):
    """Callback for progress: `done` of `total` items of a step, and a sentence `said` for the log.

    The work calls it often. It raises Stopped to stop the work.
    """

    def __call__(self, step: Step, done: int = 0, total: int = 0, said: str = "") -> None:
        """Report progress."""


def ignore_step(step: Step, done: int = 0, total: int = 0, said: str = "") -> None:
    """An `OnStep` that does nothing."""


@dataclass(frozen=True)
class LogLine:
    """A sentence of a job's log and its time."""

    time: datetime
    text: str


@dataclass(frozen=True)
class Job:
    """The record of a job, kept in the store and updated by the worker that does it.

    `done` and `total` count the items of the step: tickets with fresh codes, rows, epochs or
    queries. `errors` maps ids of tickets that were set aside to an error message. Times are naive
    UTC.
    """

    id: str
    kind: JobKind
    bundle_id: str
    state: JobState
    total: int
    done: int
    created: datetime
    heartbeat: datetime | None = None
    started: datetime | None = None
    finished: datetime | None = None
    cancel_requested: bool = False
    errors: dict[str, str] = field(default_factory=dict)
    message: str = ""
    step: str = ""
    """A `Step`, or "" before the work has begun."""
    arguments: Json = field(default_factory=dict)
    """What was requested; never changed."""
    result: Json = field(default_factory=dict)
    """What the job has changed or found so far: for example a bundle's id, counts, a verdict."""
    log: tuple[LogLine, ...] = ()
    by: str = ""
    """Who requested it; empty for the program itself."""
    attempts: int = 0
    """How often the work was started: again after a failure or when a worker was killed."""

    def imports_for(self, name: str) -> bool:
        """Whether this person requested this import, so that its result tells them nothing new."""
        return self.kind == JobKind.IMPORT and bool(name) and self.by == name


def log_to_json(log: tuple[LogLine, ...]) -> list[Json]:
    """The lines of a log as JSON."""
    return [{"time": line.time.isoformat(), "text": line.text} for line in log]


def log_from_json(lines: list[Mapping[str, Any]]) -> tuple[LogLine, ...]:
    """The log that `log_to_json` has written."""
    return tuple(LogLine(datetime.fromisoformat(line["time"]), line["text"]) for line in lines)
