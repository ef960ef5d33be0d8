"""How much the time between query and ticket adds to their distance.

Problems of one time have common causes, a new release or a season, so a desk's links lead to
recent tickets more often than to old ones. How much that counts is learned, and may be nothing.
What it may count is bounded: beyond HORIZON_DAYS a ticket is as far as any older one, so that
an old solution whose text matches is not buried under what is merely recent.
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
"""Days at which one age of solutions ends and the next begins; the last has no end."""


@dataclass(frozen=True)
class Recency:
    """`weight` times the time apart (see `time_apart`); a ticket without a date is `typical` apart.

    `horizon` is in days.
    """

    weight: float = 0.0
    typical: float = 0.0
    horizon: float = HORIZON_DAYS

    def distances(
        self, time: datetime | None, minutes: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """What to add to the distances of tickets created at `minutes` since 1970 (int64 [n], 0 is
        unknown) from a query asked at `time`; a query of unknown time is equally far from all."""
        minute = minute_of(time)
        if not (minute and self.weight):
            return np.zeros(len(minutes))
        apart = time_apart(minute, minutes, self.horizon)
        return self.weight * np.where(minutes > 0, apart, self.typical)


def time_apart(
    one: npt.ArrayLike, other: npt.ArrayLike, horizon: float = HORIZON_DAYS
) -> npt.NDArray[np.float64]:
    """log(1 + days) between times in minutes, never more than that of the horizon's days."""
    minutes: npt.NDArray[np.float64] = np.abs(np.subtract(other, one, dtype=float))
    return np.log1p(np.minimum(minutes / MINUTES_A_DAY, horizon))


def age_of(days: float) -> int:
    """Which of the ages that AGE_ENDS divide a ticket so many days older than its query is of."""
    return bisect_right(AGE_ENDS, days)
