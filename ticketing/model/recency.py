"""How much the time between query and ticket adds to their distance.

Problems of one time have common causes, a new release or a season, so a desk's links lead to
recent tickets more often than to old ones. How much that counts is learned, and may be nothing.
"""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from ticketing.model.layout import minute_of

MINUTES_A_DAY = 24 * 60


@dataclass(frozen=True)
class Recency:
    """`weight` times log(1 + days apart); a ticket without a date is `typical` (a log) apart."""

    weight: float = 0.0
    typical: float = 0.0

    def distances(
        self, time: datetime | None, minutes: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """What to add to the distances of tickets created at `minutes` since 1970 (int64 [n], 0 is
        unknown) from a query asked at `time`; a query of unknown time is equally far from all."""
        minute = minute_of(time)
        if not (minute and self.weight):
            return np.zeros(len(minutes))
        days = log_days(minute, minutes)
        return self.weight * np.where(minutes > 0, days, self.typical)


def log_days(one: npt.ArrayLike, other: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """log(1 + days) between times in minutes."""
    minutes: npt.NDArray[np.float64] = np.abs(np.subtract(other, one, dtype=float))
    return np.log1p(minutes / MINUTES_A_DAY)
