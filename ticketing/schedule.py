"""When the desk trains by itself: the schedule's record, and what is due by it.

Times are naive UTC. A time that was missed, as while no worker ran, is made up for once.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum

from ticketing.files import Json
from ticketing.jobs import Promotion
from ticketing.plurals import counted

WEEK = timedelta(days=7)
DEFAULT_TIME = time(3)
"""When most desks sleep."""


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
    """Train every week, or as soon as enough judgments came, or both; by default never.

    After a training its bundle is encoded and compared, and serves as `promotion` says.
    """

    weekday: Weekday | None = None
    """The day of a training each week; None is no such day."""
    at: time = DEFAULT_TIME
    """When on that day."""
    judgments: int = 0
    """Train after so many new judgments; 0 is never."""
    promotion: Promotion = Promotion.RULE
    since: datetime | None = None
    """When it last began a training, or was set: what was to come before is past."""
    judged: int = 0
    """How many judgments there were when they began to count."""
    counts_since: datetime | None = None
    """When that was: when it last began a training, or first waited for judgments."""

    def next_time(self) -> datetime | None:
        """The weekly time that comes next, or that was missed; None where there is none."""
        if self.weekday is None or self.since is None:
            return None
        days = (self.weekday.number - self.since.weekday()) % 7
        found = datetime.combine(self.since.date() + timedelta(days=days), self.at)
        return found if found > self.since else found + WEEK

    def due(self, now: datetime, judged: int) -> str:
        """Why a training is to begin now, with so many judgments in the store; empty where none
        is."""
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
    """The schedule that `schedule_to_json` has written, by an earlier version perhaps."""
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
