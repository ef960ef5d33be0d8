"""How likely a proposed category is right, from its score, and from which score on to propose."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

ENOUGH = 10
"""Validation titles below which nothing is learned from them."""

HALF = 0.5
"""Of the proposals from the floor on that must have been right."""

KNOWN = 0.9999
"""A score that only a title that is known already reaches."""


@dataclass(frozen=True)
class Chance:
    """P(right | score) = 1 / (1 + exp(-(slope * score + intercept)))."""

    slope: float
    intercept: float

    def of(self, score: float) -> float:
        """From 0 to 1."""
        return float(expit(self.slope * score + self.intercept))


def fit_chance(scores: Sequence[float], right: Sequence[bool]) -> Chance:
    """Platt scaling with his smoothed targets (Platt 1999, Probabilistic outputs for support
    vector machines, section 2.2), so that a few titles, or all of one kind, promise nothing."""
    found = np.array(right)
    hits, misses = found.sum(), (~found).sum()
    targets = np.where(found, (hits + 1) / (hits + 2), 1 / (misses + 2))
    both = np.array([scores, scores]).reshape(-1, 1)
    kind = np.repeat([1, 0], len(scores))
    weights = np.concatenate([targets, 1 - targets])
    fitted = LogisticRegression(C=np.inf).fit(both, kind, sample_weight=weights)
    return Chance(float(fitted.coef_[0, 0]), float(fitted.intercept_[0]))


def half_right(scores: Sequence[float], right: Sequence[bool]) -> float:
    """The lowest score from which on at least half of the proposals, and ENOUGH of them or all,
    are right; KNOWN where there is none."""
    order = np.argsort(scores)[::-1]
    falling = np.array(scores)[order]
    last = np.append(falling[1:] < falling[:-1], True)  # of the proposals of one score
    counts = np.arange(1, len(order) + 1)
    shares = np.cumsum(np.array(right)[order]) / counts
    (good,) = np.nonzero(last & (shares >= HALF) & (counts >= min(ENOUGH, len(order))))
    return float(falling[good[-1]]) if len(good) else KNOWN
