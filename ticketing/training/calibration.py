"""The chances that distances stand for, learned from validation queries."""

import numpy as np
import numpy.typing as npt
import torch
from sklearn.linear_model import LogisticRegression

from ticketing.model.calibration import UNCALIBRATED, Calibration, Logistic
from ticketing.model.network import SiameseNetwork
from ticketing.model.recency import Recency
from ticketing.tickets import Grade
from ticketing.training.validation import ValidationSet

SHOWN = 10


def calibrate(network: SiameseNetwork, validation: ValidationSet, recency: Recency) -> Calibration:
    """Learn from the ten nearest candidates of each validation query; one that nobody graded
    counts as NO."""
    if not validation.queries:
        return UNCALIBRATED
    apart = validation.distances(network, recency)
    distances, grades, firsts, answered = [], [], [], []
    for row, query in zip(apart, validation.queries, strict=True):
        shown = [i for i in row.argsort(stable=True)[:SHOWN].tolist() if torch.isfinite(row[i])]
        found = [query.grades.get(validation.candidates[i], Grade.NO) for i in shown]
        distances += row[shown].tolist()
        grades += found
        if shown:
            firsts.append(float(row[shown[0]]))
            answered.append(Grade.YES in found)
    near, graded = np.array(distances), np.array(grades)
    others = graded != Grade.YES
    return Calibration(
        answered=fit(np.array(firsts), np.array(answered), UNCALIBRATED.answered),
        yes=fit(near, graded == Grade.YES, UNCALIBRATED.yes),
        related=fit(near[others], graded[others] == Grade.REL, UNCALIBRATED.related),
        likely=UNCALIBRATED.likely,
        possible=UNCALIBRATED.possible,
    )


def fit(
    distances: npt.NDArray[np.float64], right: npt.NDArray[np.bool_], otherwise: Logistic
) -> Logistic:
    """Chances of being right by distance [n]; `otherwise` where all or none are, or where
    nearer ones are right less often."""
    if right.all() or not right.any():
        return otherwise
    found = LogisticRegression().fit(distances[:, None], right)
    if found.coef_[0, 0] >= 0:
        return otherwise
    return Logistic(float(found.intercept_[0]), (float(found.coef_[0, 0]),))
