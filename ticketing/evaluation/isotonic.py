"""The papers' map from similarity to the 1-5 scale: a regression that only keeps the order."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.isotonic import IsotonicRegression

LOWEST, HIGHEST = 1.0, 5.0


def fit_scores(
    distances: Sequence[float] | npt.NDArray[np.floating],
    ratings: Sequence[float] | npt.NDArray[np.floating],
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Isotonic regression of ratings (1-5) on -distance: knots by ascending distance, their scores.

    This is the non-parametric regression of Mueller and Thyagarajan (2016), kept monotone.
    """
    regression = IsotonicRegression(y_min=LOWEST, y_max=HIGHEST, increasing=False)
    regression.fit(np.asarray(distances, dtype=float), np.asarray(ratings, dtype=float))
    return tuple(map(float, regression.X_thresholds_)), tuple(map(float, regression.y_thresholds_))
