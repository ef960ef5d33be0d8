"""How well distances predict the grades of labelled pairs: Pearson r, Spearman rho, mean squared
error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import pearsonr, spearmanr

from ticketing.evaluation.isotonic import fit_scores
from ticketing.evaluation.significance import (
    ENOUGH_MEMORY,
    RESAMPLES,
    percentiles,
    query_weights,
    weighted_pearson,
    weighted_ranks,
)
from ticketing.tickets import Label

NO_PAIR = "no labelled ticket was found for any of these queries"
ONE_GRADE = "all labelled pairs have one grade"
ONE_DISTANCE = "all labelled pairs are equally far apart"
NOTHING_TO_FIT = (
    "no other judged query with two different grades was kept from training, to map distances to "
    "grades by"
)
ONE_SCORE = "the distances of all labelled pairs map to one grade"

Places = Mapping[str, Mapping[str, tuple[int, float]]]


class Estimate(NamedTuple):
    """A number and its confidence interval (NaN if there is none)."""

    value: float
    low: float = np.nan
    high: float = np.nan


@dataclass(frozen=True)
class Relatedness:
    """r, rho and MSE on the 1-5 scale; None if it could not be measured, with the reason."""

    pairs: int
    r: Estimate | None = None
    rho: Estimate | None = None
    mse: Estimate | None = None
    reasons: tuple[str, ...] = ()


def relatedness(places: Places, labels: Sequence[Label], fit: Sequence[Label]) -> Relatedness:
    """How well distances predict the grades of the labelled pairs.

    `places` is that of a Ranked. A distance is mapped to a score of 1 to 5 by isotonic regression
    on the pairs of `fit`, which were not used in training. r and MSE compare scores with grades;
    rho uses only the order of the distances. Intervals are over queries.
    """
    found = [label for label in labels if label.ticket_id in places.get(label.query.id, {})]
    ratings, distances = _pairs(places, found)
    if not found:
        return Relatedness(0, reasons=(NO_PAIR,))
    reasons = []
    if len(set(ratings)) < 2:
        reasons.append(ONE_GRADE)
    if len(set(distances)) < 2:
        reasons.append(ONE_DISTANCE)
    comparable = not reasons
    fit_ratings, fit_distances = _pairs(places, fit)
    scores = None
    if len(set(fit_ratings)) > 1:
        scores = np.interp(distances, *fit_scores(fit_distances, fit_ratings))
    else:
        reasons.append(NOTHING_TO_FIT)
    r = rho = mse = None
    weights = _resamples(tuple(label.query.id for label in found))
    several = len({label.query.id for label in found}) > 1

    def interval(values: npt.NDArray[np.float64]) -> tuple[float, float]:
        return percentiles(values) if several else (np.nan, np.nan)  # one query has no interval

    if comparable:
        ranked = weighted_ranks(weights, -distances)
        resampled = weighted_pearson(weights, ranked, weighted_ranks(weights, ratings))
        rho = Estimate(float(spearmanr(-distances, ratings).statistic), *interval(resampled))
    if comparable and scores is not None:
        if len(set(scores)) > 1:
            resampled = weighted_pearson(weights, scores, ratings)
            r = Estimate(float(pearsonr(scores, ratings).statistic), *interval(resampled))
        else:
            reasons.append(ONE_SCORE)
    if scores is not None:
        error = (scores - ratings) ** 2
        resampled = weights @ error / weights.sum(1)
        mse = Estimate(float(error.mean()), *interval(resampled))
    return Relatedness(len(found), r, rho, mse, tuple(reasons))


def _pairs(
    places: Places, labels: Sequence[Label]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Ratings and distances of the labelled pairs that were found."""
    pairs = [
        (label.grade.rating, places[label.query.id][label.ticket_id][1])
        for label in labels
        if label.ticket_id in places.get(label.query.id, {})
    ]
    ratings, distances = np.array(pairs, dtype=float).reshape(-1, 2).T
    return ratings, distances


@lru_cache(maxsize=1)  # all ways of an evaluation have the same labels
def _resamples(queries: tuple[str, ...]) -> npt.NDArray[np.int64]:
    enough = max(min(RESAMPLES, ENOUGH_MEMORY // len(queries)), 200)
    return query_weights(queries, resamples=enough)
