"""The schedule of automatic trainings, and when a training is due.

Times are naive UTC. A missed time, for example while no worker ran, is made up for once.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum

from ticketing.files import Json
from ticketing.jobs import Promotion
from ticketing.plurals import counted

WEEK = timedelta(days=7)
DEFAULT_TIME = time(3)
"""At night for most desks."""


class Weekday(StrEnum):
    """A day of the week."""

    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"

    @property
    def number(self) -> int:
        """As `datetime.weekday` counts: Monday is 0."""
        return list(Weekday).index(self)


@dataclass(frozen=True)
class Schedule:
    """Train every week, after enough new judgments, or both; by default never.

    After a training, all tickets are encoded with the new bundle, it is compared, and `promotion`
    decides whether it serves.
    """

    weekday: Weekday | None = None
    """Day of the weekly training; None for no weekly training."""
    at: time = DEFAULT_TIME
    """Time of day of the weekly training."""
    judgments: int = 0
    """Number of new judgments that starts a training; 0 is never."""
    promotion: Promotion = Promotion.RULE
    since: datetime | None = None
    """When the schedule last started a training, or was set; earlier due times are past."""
    judged: int = 0
    """Number of judgments from which new ones are counted."""
    counts_since: datetime | None = None
    """Time from which new judgments are counted: of the last training, or of when it first waited
    for judgments."""

    def next_time(self) -> datetime | None:
        """The next weekly time, or a missed one; None if there is none."""
        if self.weekday is None or self.since is None:
            return None
        days = (self.weekday.number - self.since.weekday()) % 7
        found = datetime.combine(self.since.date() + timedelta(days=days), self.at)
        return found if found > self.since else found + WEEK

    def due(self, now: datetime, judged: int) -> str:
        """Why a training is due now; "" if none is. `judged` is the number of judgments in the
        store."""
        if self.judgments and judged - self.judged >= self.judgments:
            return f"{counted(judged - self.judged, 'new judgment')} came"
        coming = self.next_time()
        if self.weekday and coming and coming <= now:
            return f"it is scheduled for {self.weekday.capitalize()}, {self.at:%H:%M} UTC"
        return ""


def schedule_to_json(schedule: Schedule) -> Json:
    """A schedule as JSON."""
    times = {name: _written(getattr(schedule, name)) for name in ("since", "counts_since")}
    return asdict(schedule) | {"at": schedule.at.isoformat()} | times


def schedule_from_json(record: Json) -> Schedule:
    """Read a schedule that `schedule_to_json` wrote, also in an earlier version."""
    since = record["since"]
    return Schedule(
        record["weekday"] and Weekday(record["weekday"]),
        time.fromisoformat(record["at"]),
        record["judgments"],
        Promotion(record["promotion"]),
        _read(since),
        record["judged"],
        _read(record.get("counts_since", since)),
    )


def _written(time: datetime | None) -> str | None:
    return time.isoformat() if time else None


def _read(written: str | None) -> datetime | None:
    return datetime.fromisoformat(written) if written else None
