"""From distances to what a person can use: the chance of a YES, and of one among those shown."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from ticketing.files import Json
from ticketing.tickets import Outlook

LOWEST, HIGHEST = 1.0, 5.0


@dataclass(frozen=True)
class Logistic:
    """A chance by logistic regression: 1 / (1 + exp(-(intercept + weights . features)))."""

    intercept: float
    weights: tuple[float, ...]

    def __call__(self, features: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Features float64 [n, F] to chances [n]."""
        chances: npt.NDArray[np.float64] = expit(self.intercept + features @ np.array(self.weights))
        return chances

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Logistic":
        """What `dataclasses.asdict` described."""
        return cls(data["intercept"], tuple(data["weights"]))


@dataclass(frozen=True)
class Chances:
    """Of the nearest tickets, nearest first: that it is a YES and that it is a REL, float64 [n];
    and that a YES is among the first ten."""

    yes: npt.NDArray[np.float64]
    related: npt.NDArray[np.float64]
    answered: float


@dataclass(frozen=True)
class Calibration:
    """What distances say.

    `answered` is the chance that a YES is among the ten nearest, `yes` that a ticket is a YES,
    `related` that one that is no YES is a REL. From `likely` on a YES is likely, below `possible`
    nothing matches well.
    """

    answered: Logistic
    yes: Logistic
    related: Logistic
    likely: float
    possible: float

    def chances(self, distances: npt.NDArray[np.float64]) -> Chances:
        """Chances by the distances of the nearest tickets, nearest first."""
        features = distances[:, None]
        yes = self.yes(features)
        related = (1 - yes) * self.related(features)
        answered = self.answered(features[:1])
        return Chances(yes, related, float(answered[0]) if len(answered) else 0.0)

    def outlook(self, answered: float) -> Outlook:
        """What a chance that a YES is among those shown lets one expect."""
        if answered >= self.likely:
            return Outlook.LIKELY
        return Outlook.POSSIBLE if answered >= self.possible else Outlook.NOTHING

    def to_json(self) -> Json:
        """What the manifest keeps."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Calibration":
        """The calibration that `to_json` described."""
        regressions = {x: Logistic.from_json(data[x]) for x in ("answered", "yes", "related")}
        return cls(**regressions, likely=data["likely"], possible=data["possible"])


_BY_DISTANCE = Logistic(5.0, (-0.5,))
UNCALIBRATED = Calibration(_BY_DISTANCE, _BY_DISTANCE, Logistic(0.0, (-0.5,)), 0.5, 0.1)
"""Where no validation query can be compared with any ticket."""


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
