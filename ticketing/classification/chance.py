"""The chance that a proposed category is right, from its score, and the lowest score that is
proposed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

ENOUGH = 10
"""Minimum number of validation titles to learn from."""

HALF = 0.5
"""Minimum share of right proposals with a score at or above the floor."""

KNOWN = 0.9999
"""A score that only known titles reach."""


@dataclass(frozen=True)
class Chance:
    """P(right | score) = 1 / (1 + exp(-(slope * score + intercept)))."""

    slope: float
    intercept: float

    def of(self, score: float) -> float:
        """The chance for a score, from 0 to 1."""
        return float(expit(self.slope * score + self.intercept))


def fit_chance(scores: Sequence[float], right: Sequence[bool]) -> Chance:
    """Platt scaling with smoothed targets (Platt 1999, Probabilistic outputs for support vector
    machines, section 2.2), so that a few titles, or titles all of one kind, do not give extreme
    chances."""
    found = np.array(right)
    hits, misses = found.sum(), (~found).sum()
    targets = np.where(found, (hits + 1) / (hits + 2), 1 / (misses + 2))
    both = np.array([scores, scores]).reshape(-1, 1)
    kind = np.repeat([1, 0], len(scores))
    weights = np.concatenate([targets, 1 - targets])
    fitted = LogisticRegression(C=np.inf).fit(both, kind, sample_weight=weights)
    return Chance(float(fitted.coef_[0, 0]), float(fitted.intercept_[0]))


def half_right(scores: Sequence[float], right: Sequence[bool]) -> float:
    """The lowest score such that at least half of the proposals with at least this score, and at
    least ENOUGH of them or all, are right; KNOWN if there is none."""
    order = np.argsort(scores)[::-1]
    falling = np.array(scores)[order]
    last = np.append(falling[1:] < falling[:-1], True)  # the last proposal of each score
    counts = np.arange(1, len(order) + 1)
    shares = np.cumsum(np.array(right)[order]) / counts
    (good,) = np.nonzero(last & (shares >= HALF) & (counts >= min(ENOUGH, len(order))))
    return float(falling[good[-1]]) if len(good) else KNOWN
