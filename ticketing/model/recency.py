"""The time part of the distance between query and ticket.

Problems of one time have common causes, such as a new release or a season, so links lead to recent
tickets more often than to old ones. The weight of time is learned and may be 0. Its effect is
limited: beyond HORIZON_DAYS, time adds no more, so an old solution with matching text is not ranked
behind tickets that are merely recent.
"""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from ticketing.model.layout import minute_of

MINUTES_A_DAY = 24 * 60

HORIZON_DAYS = 120.0
"""Days apart beyond which time adds no more."""

AGE_ENDS = (7, 30, 180, 365)
"""Ends of the age classes of solutions in days; the last class has no end."""


@dataclass(frozen=True)
class Recency:
    """The time part is `weight` times the time apart (see `time_apart`); for a ticket without a
    date, `weight` times `typical`.

    `horizon` is in days.
    """

    weight: float = 0.0
    typical: float = 0.0
    horizon: float = HORIZON_DAYS

    def distances(
        self, time: datetime | None, minutes: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """The time part of the distances of tickets created at `minutes` since 1970 (int64 [n], 0
        is unknown) to a query asked at `time`; zeros if that is unknown."""
        minute = minute_of(time)
        if not (minute and self.weight):
            return np.zeros(len(minutes))
        apart = time_apart(minute, minutes, self.horizon)
        return self.weight * np.where(minutes > 0, apart, self.typical)


def time_apart(
    one: npt.ArrayLike, other: npt.ArrayLike, horizon: float = HORIZON_DAYS
) -> npt.NDArray[np.float64]:
    """log(1 + days) between times in minutes, limited to the horizon's days."""
    minutes: npt.NDArray[np.float64] = np.abs(np.subtract(other, one, dtype=float))
    return np.log1p(np.minimum(minutes / MINUTES_A_DAY, horizon))


def age_of(days: float) -> int:
    """Index of the age class (see AGE_ENDS) of a ticket `days` older than its query."""
    return bisect_right(AGE_ENDS, days)
