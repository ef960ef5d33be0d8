"""When the desk trains by itself."""

from typing import Protocol

from ticketing.schedule import Schedule


class Schedules(Protocol):
    """The one schedule of a desk."""

    def schedule(self) -> Schedule:
        """The schedule that was set last; one that never trains where none was."""

    def set_schedule(self, schedule: Schedule, seen: Schedule) -> bool:
        """Put a schedule in the place of the one that was `seen`, in one step; False, and nothing
        is changed, where another one stands there by now."""
