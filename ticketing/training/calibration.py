"""The map from distances to the 1-5 scale, fitted to the validation queries."""

import torch

from ticketing.model.calibration import (
    UNCALIBRATED,
    Calibration,
    fit_scores,
    separating_distance,
)
from ticketing.model.network import SiameseNetwork
from ticketing.model.recency import Recency
from ticketing.tickets import Grade
from ticketing.training.validation import ValidationSet

PASSED_OVER = slice(10, 100, 10)
"""Ranks whose unjudged tickets count as NO."""


def calibrate(network: SiameseNetwork, validation: ValidationSet, recency: Recency) -> Calibration:
    """Scores and floor from validation queries: what people graded, against what is not worth it.

    Each query gives its graded tickets, and as NO every tenth candidate of the ranks 11 to
    100 that nobody graded (what is unjudged among the first ten may well be right). The floor
    separates distances of right tickets from those of the best other ticket, which a query
    without an answer would be shown.
    """
    if not validation.queries:
        return UNCALIBRATED
    apart, right = validation.distances(network, recency), validation.right()
    distances, ratings = [], []
    for row, query in zip(apart, validation.queries, strict=True):
        passed_over = set(row.argsort(stable=True)[PASSED_OVER].tolist())
        for column, id in enumerate(validation.candidates):
            shown = column in passed_over or id in query.grades
            if shown and torch.isfinite(row[column]):
                distances.append(float(row[column]))
                ratings.append(query.grades.get(id, Grade.NO).rating)
    if not distances:
        return UNCALIBRATED
    knots, scores = fit_scores(distances, ratings)
    answered = apart.masked_fill(~right, torch.inf).min(1).values
    unanswered = apart.masked_fill(right, torch.inf).min(1).values
    floor = separating_distance(
        answered[answered.isfinite()].numpy(), unanswered[unanswered.isfinite()].numpy()
    )
    return Calibration(knots, scores, floor)
