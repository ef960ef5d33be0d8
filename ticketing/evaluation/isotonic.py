"""The papers' map from similarity to the 1-5 scale: isotonic regression."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.isotonic import IsotonicRegression

LOWEST, HIGHEST = 1.0, 5.0


def fit_scores(
    distances: Sequence[float] | npt.NDArray[np.floating],
    ratings: Sequence[float] | npt.NDArray[np.floating],
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Isotonic regression of ratings (1-5) on -distance; returns knots by ascending distance, and
    their scores.

    This is the non-parametric regression of Mueller and Thyagarajan (2016), with the constraint of
    monotonicity.
    """
    regression = IsotonicRegression(y_min=LOWEST, y_max=HIGHEST, increasing=False)
    regression.fit(np.asarray(distances, dtype=float), np.asarray(ratings, dtype=float))
    return tuple(map(float, regression.X_thresholds_)), tuple(map(float, regression.y_thresholds_))
