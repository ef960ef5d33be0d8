"""Long work: what kinds there are, what becomes of it, and the record that each job has."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from ticketing.files import Json

LOG_LINES = 200
"""As many lines of a job's log are kept, the last ones."""


class JobKind(StrEnum):
    """What a job does."""

    REINDEX = "reindex"
    """Encodes every ticket under a bundle, compares it with the serving one, promotes it."""
    TRAINING = "training"
    """Makes a bundle of the desk's tickets and judgments; a reindex follows."""
    EVALUATION = "evaluation"
    """Measures bundles on judgments; keeps a report."""
    IMPORT = "import"
    """Puts the tickets of files that were uploaded into the knowledge base."""
    PROMOTION = "promotion"
    """No work: the note of what came of a bundle that was to serve."""

    @property
    def side_by_side(self) -> bool:
        """Whether several jobs of this kind may be under way for the same bundle."""
        return self in (JobKind.EVALUATION, JobKind.IMPORT)


class JobState(StrEnum):
    """What has become of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    """It waits for somebody's yes or no."""
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def final(self) -> bool:
        """Whether the job has ended."""
        return self in (JobState.DONE, JobState.CANCELLED, JobState.FAILED)


class Step(StrEnum):
    """What a job is at just now."""

    ENCODING = "encoding"
    COMPARING = "comparing"
    """Encoded; to be compared with the serving bundle."""
    PROMOTING = "promoting"
    READING = "reading"
    PRETRAINING = "pretraining"
    """Word vectors and topics are learned, and the teacher reads the archive."""
    TRAINING = "training"
    FITTING = "fitting"
    """Weights and grades are fitted to the trained network."""
    MEASURING = "measuring"
    IMPORTING = "importing"
    CHECKING = "checking"
    """An import is read that stores nothing."""


class Promotion(StrEnum):
    """What becomes of a bundle whose tickets are encoded: `arguments["promotion"]` of a job."""

    RULE = "rule"
    """It serves unless it loses to the serving one on test queries (`evaluation.promotion`)."""
    ASK = "ask"
    """The job waits until somebody says yes or no to the comparison."""
    NEVER = "never"
    """The other one goes on serving."""


class Stopped(Exception):
    """Raised by `OnStep` to end the work here: what is checkpointed stays."""


class OnStep(Protocol):
    """Hears how far work is: so many of a step's things are done, and a sentence for the log.

    Whoever works calls it often; it raises Stopped where the work is to end.
    """

    def __call__(self, step: Step, done: int = 0, total: int = 0, said: str = "") -> None:
        """Hear it."""


def ignore_step(step: Step, done: int = 0, total: int = 0, said: str = "") -> None:
    """Nobody follows the work."""


@dataclass(frozen=True)
class LogLine:
    """A sentence of a job's log, and when it was said."""

    time: datetime
    text: str


@dataclass(frozen=True)
class Job:
    """The record of long work, kept in the store and written by whoever does the work.

    `done` of `total` counts what the step counts: tickets that carry fresh codes, rows, epochs,
    queries; `errors` maps ticket ids that were set aside to what went wrong. Times are naive UTC.
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
    """A `Step`, or nothing while nobody has begun."""
    arguments: Json = field(default_factory=dict)
    """What was asked for; it stays as it is."""
    result: Json = field(default_factory=dict)
    """What the job has changed or found so far, as a bundle's id, counts, a verdict."""
    log: tuple[LogLine, ...] = ()
    by: str = ""
    """Who asked for it; empty for the program itself."""
    attempts: int = 0
    """How many times it was begun: again after a failure, or a worker that was killed."""

    def imports_for(self, name: str) -> bool:
        """Whether it imports what somebody of that name has given, and tells them nothing new."""
        return self.kind == JobKind.IMPORT and bool(name) and self.by == name


def log_to_json(log: tuple[LogLine, ...]) -> list[Json]:
    """The lines of a log as JSON."""
    return [{"time": line.time.isoformat(), "text": line.text} for line in log]


def log_from_json(lines: list[Mapping[str, Any]]) -> tuple[LogLine, ...]:
    """The log that `log_to_json` has written."""
    return tuple(LogLine(datetime.fromisoformat(line["time"]), line["text"]) for line in lines)
