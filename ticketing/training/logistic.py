"""Logistic regression whose chances fall with some features, whatever the examples say."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from ticketing.model.calibration import Logistic


def fit_logistic(
    features: npt.NDArray[np.float64],
    right: npt.NDArray[np.bool_],
    weights: npt.NDArray[np.float64],
    falling: Collection[int],
) -> Logistic | None:
    """Chances of being right by features [n, F], each example counting by its weight [n].

    Features are standardised and the weights held near 0 by scikit-learn's default. One of
    `falling` whose weight would be positive is left out. None where all or no example is right.
    """
    if right.all() or not right.any():
        return None
    centre = np.average(features, axis=0, weights=weights)
    scale = np.sqrt(np.average((features - centre) ** 2, axis=0, weights=weights))
    scaled = (features - centre) / np.where(scale > 0, scale, 1.0)
    kept = [i for i in range(features.shape[1]) if scale[i] > 0]
    while True:
        found = np.zeros(features.shape[1])
        if not kept:
            share = np.average(right, weights=weights)
            return Logistic(float(np.log(share / (1 - share))), tuple(map(float, found)))
        fitted = LogisticRegression().fit(scaled[:, kept], right, sample_weight=weights)
        found[kept] = fitted.coef_[0] / scale[kept]
        wrong = [i for i in kept if i in falling and found[i] > 0]
        if not wrong:
            intercept = float(fitted.intercept_[0] - found @ centre)
            return Logistic(intercept, tuple(map(float, found)))
        kept = [i for i in kept if i not in wrong]
