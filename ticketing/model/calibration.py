"""From g to the 1-5 scale people read, and the floor below which nothing matches well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt
from sklearn.isotonic import IsotonicRegression

from ticketing.files import Json

LOWEST, HIGHEST = 1.0, 5.0


@dataclass(frozen=True)
class Calibration:
    """A non-increasing map from distance (-log g) to a score, by linear interpolation of knots.

    `floor` is the distance beyond which the best proposal is no good match.
    """

    distances: tuple[float, ...]
    scores: tuple[float, ...]
    floor: float

    @overload
    def score(self, distance: float) -> float: ...

    @overload
    def score(self, distance: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]: ...

    def score(self, distance: float | npt.NDArray[np.floating]) -> float | npt.NDArray[np.float64]:
        """Scores in [1, 5]; never reorders what distance orders. An infinite distance scores 1."""
        scores = np.interp(distance, self.distances, self.scores)
        found: float | npt.NDArray[np.float64] = np.where(np.isinf(distance), LOWEST, scores)[()]
        return found

    def to_json(self) -> Json:
        """What the manifest keeps."""
        return {"distances": self.distances, "scores": self.scores, "floor": self.floor}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Calibration":
        """The calibration that `to_json` described."""
        return cls(tuple(data["distances"]), tuple(data["scores"]), data["floor"])


UNCALIBRATED = Calibration((0.0, 20.0), (5.0, 1.0), 10.0)
"""Where no validation query can be compared with any ticket."""


def separating_distance(
    answered: Sequence[float] | npt.NDArray[np.floating],
    unanswered: Sequence[float] | npt.NDArray[np.floating],
) -> float:
    """The distance that best tells queries whose answer is there from queries whose answer is not.

    `answered` holds the distances of right tickets, `unanswered` those of the best other
    tickets. The threshold has the highest sum of the two shares on their right side.
    """
    candidates = np.unique(np.concatenate([answered, unanswered]))
    kept = np.searchsorted(np.sort(answered), candidates, side="right") / max(len(answered), 1)
    passed = np.searchsorted(np.sort(unanswered), candidates, side="right") / max(
        len(unanswered), 1
    )
    return float(candidates[np.argmax(kept - passed)])


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
