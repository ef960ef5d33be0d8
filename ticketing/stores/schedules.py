"""The interface of the schedule of automatic trainings."""

from typing import Protocol

from ticketing.schedule import Schedule


class Schedules(Protocol):
    """The schedule of a desk."""

    def schedule(self) -> Schedule:
        """The schedule set last; by default one that never trains."""

    def set_schedule(self, schedule: Schedule, seen: Schedule) -> bool:
        """Replace the schedule that was `seen`, atomically; False, without any change, if it has
        changed meanwhile."""
