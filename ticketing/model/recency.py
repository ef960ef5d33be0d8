"""How much the time between query and ticket adds to their distance.

Problems of one time have common causes, a new release or a season, so a desk's links lead to
recent tickets more often than to old ones. How much that counts is learned, and may be nothing.
"""

from dataclasses import dataclass

import numpy as np

MINUTES_A_DAY = 24 * 60


@dataclass(frozen=True)
class Recency:
    """`weight` times log(1 + days apart); a ticket without a date is `typical` (a log) apart."""

    weight: float = 0.0
    typical: float = 0.0

    def distances(self, asked: int, minutes: np.ndarray) -> np.ndarray:
        """What to add to the distances of tickets created at `minutes` from a query asked at
        another; 0 minutes is unknown, and a query of unknown time is equally far from all."""
        if not (asked and self.weight):
            return np.zeros(len(minutes))
        return self.weight * np.where(minutes > 0, log_days(asked, minutes), self.typical)


def log_days(asked, minutes) -> np.ndarray:
    """log(1 + days) between times in minutes."""
    return np.log1p(np.abs(np.subtract(minutes, asked, dtype=float)) / MINUTES_A_DAY)
