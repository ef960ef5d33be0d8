"""When the desk trains by itself: what is scheduled, and how it is changed."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, time

from ticketing.desk.base import DeskBase
from ticketing.errors import StoreAway
from ticketing.jobs import Promotion
from ticketing.schedule import Schedule, Weekday
from ticketing.times import utc_now

_ATTEMPTS = 20


class Scheduling(DeskBase):
    """The desk's schedule."""

    def schedule(self) -> Schedule:
        """What is scheduled."""
        return self.whole.schedule()

    def new_judgments(self) -> int:
        """How many judgments, of those that may be seen, came since they began to count."""
        schedule = self.whole.schedule()
        if self.store is self.whole:
            return max(0, self.whole.count_judgments() - schedule.judged)
        since = schedule.counts_since or datetime.max
        return sum(judgment.time >= since for judgment in self.store.judgments())

    def set_schedule(
        self, weekday: Weekday | None, at: time, judgments: int, promotion: Promotion
    ) -> Schedule:
        """Train weekly, after so many new judgments (0: never), or both.

        Judgments that came since the last training still count; a time that is past does not.
        """
        judged, now = self.whole.count_judgments(), utc_now()

        def change(old: Schedule) -> Schedule:
            counted = (old.judged, old.counts_since) if old.judgments else (judged, now)
            return Schedule(weekday, at, judgments, promotion, now, *counted)

        return self._change_schedule(change)

    def schedule_began(self, at: datetime) -> Schedule:
        """Keep that what was due at a time has begun: it is not made up for again."""
        judged = self.whole.count_judgments()
        return self._change_schedule(
            lambda old: replace(old, since=at, counts_since=at, judged=judged)
        )

    def _change_schedule(self, change: Callable[[Schedule], Schedule]) -> Schedule:
        for _ in range(_ATTEMPTS):
            seen = self.whole.schedule()
            if self.whole.set_schedule(changed := change(seen), seen):
                return changed
        raise StoreAway("Others keep changing the schedule; try again.")
