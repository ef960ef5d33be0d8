"""The schedule of automatic trainings, and changes to it."""

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
        """The present schedule."""
        return self.whole.schedule()

    def new_judgments(self) -> int:
        """Number of new judgments, among those that may be seen, since counting began."""
        schedule = self.whole.schedule()
        if self.store is self.whole:
            return max(0, self.whole.count_judgments() - schedule.judged)
        since = schedule.counts_since or datetime.max
        return sum(judgment.time >= since for judgment in self.store.judgments())

    def set_schedule(
        self, weekday: Weekday | None, at: time, judgments: int, promotion: Promotion
    ) -> Schedule:
        """Train weekly, after a number of new judgments (0: never), or both.

        Judgments since the last training still count; a weekly time that is already past does not.
        """
        judged, now = self.whole.count_judgments(), utc_now()

        def change(old: Schedule) -> Schedule:
            counted = (old.judged, old.counts_since) if old.judgments else (judged, now)
            return Schedule(weekday, at, judgments, promotion, now, *counted)

        return self._change_schedule(change)

    def schedule_began(self, at: datetime) -> Schedule:
        """Record that the training due at a time has started, so that it is not repeated."""
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
