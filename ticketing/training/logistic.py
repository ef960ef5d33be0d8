"""Logistic regression with sign constraints on some weights."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit

from ticketing.model.calibration import Logistic

Floats = npt.NDArray[np.float64]

PRIOR_PRECISION = 10.0
"""Penalty of a change by 1 from the weights of other desks (squared and halved), relative to an
example's cross-entropy. From weights of 0, and from the intercept of other desks, the penalty is
1."""


def fit_logistic(
    features: Floats,
    right: npt.NDArray[np.bool_],
    weights: Floats,
    falling: Collection[int],
    near: Logistic | None = None,
    rising: Collection[int] = (),
) -> Logistic | None:
    """Fit the chance of being right from features [n, F], with example weights [n].

    Features are standardised, and their weights are held near those of `near`, or near 0; weights
    of constant features stay there. A feature in `falling` with a positive weight, or in `rising`
    with a negative one, is left out. Returns None if all or no examples are right.
    """
    if right.all() or not right.any():
        return None
    centre = np.average(features, axis=0, weights=weights)
    scale = np.sqrt(np.average((features - centre) ** 2, axis=0, weights=weights))
    varied = np.ptp(features, axis=0) > 0  # a rounded mean leaves constants a tiny scale
    scaled = (features - centre) / np.where(varied, scale, 1.0)
    others = np.array(near.weights) if near else np.zeros(features.shape[1])
    start = np.append(others * scale, near.intercept + centre @ others if near else 0.0)
    hold = np.append(np.full(len(others), PRIOR_PRECISION if near else 1.0), 1.0 if near else 0.0)
    kept = np.append(varied, True)
    while True:
        found = _fitted(scaled, right, weights, start * kept, hold, kept)
        wrong = [i for i in falling if kept[i] and found[i] > 0]
        wrong += [i for i in rising if kept[i] and found[i] < 0]
        if not wrong:
            slopes = np.where(varied, found[:-1] / np.where(varied, scale, 1.0), others)
            return Logistic(float(found[-1] - slopes @ centre), tuple(map(float, slopes)))
        kept[wrong] = False


def _fitted(
    features: Floats,
    right: npt.NDArray[np.bool_],
    weights: Floats,
    start: Floats,
    hold: Floats,
    kept: npt.NDArray[np.bool_],
) -> Floats:
    """Weights and intercept [F + 1]; 0 for those that are not `kept`."""
    columns = np.append(features, np.ones((len(features), 1)), 1) * kept
    signs = np.where(right, 1.0, -1.0)

    def loss(found: Floats) -> tuple[float, Floats]:
        margins = signs * (columns @ found)
        change = found - start
        cost = weights @ np.logaddexp(0, -margins) + hold / 2 @ change**2
        return float(cost), -columns.T @ (weights * signs * expit(-margins)) + hold * change

    solved: Floats = minimize(loss, start, jac=True, method="L-BFGS-B", tol=1e-12).x
    return solved * kept
