"""How well distances predict the grades of labelled pairs: Pearson r, Spearman rho, mean squared
error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
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
Floats = npt.NDArray[np.float64]


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
    queries, ratings, distances = _pairs(places, labels)
    if not queries:
        return Relatedness(0, reasons=(NO_PAIR,))
    alike = (ONE_GRADE, ratings), (ONE_DISTANCE, distances)
    reasons = [reason for reason, values in alike if len(set(values)) < 2]
    comparable = not reasons
    weights = _resamples(queries)
    estimate = partial(_estimate, several=len(set(queries)) > 1)
    r = rho = None
    if comparable:
        ranked = weighted_ranks(weights, -distances)
        resampled = weighted_pearson(weights, ranked, weighted_ranks(weights, ratings))
        rho = estimate(spearmanr(-distances, ratings).statistic, resampled)
    _, fit_ratings, fit_distances = _pairs(places, fit)
    if len(set(fit_ratings)) < 2:
        return Relatedness(len(queries), rho=rho, reasons=(*reasons, NOTHING_TO_FIT))
    scores = np.interp(distances, *fit_scores(fit_distances, fit_ratings))
    error = (scores - ratings) ** 2
    mse = estimate(error.mean(), weights @ error / weights.sum(1))
    if comparable and len(set(scores)) < 2:
        reasons.append(ONE_SCORE)
    elif comparable:
        r = estimate(
            pearsonr(scores, ratings).statistic, weighted_pearson(weights, scores, ratings)
        )
    return Relatedness(len(queries), r, rho, mse, tuple(reasons))


def _estimate(value: float, resampled: Floats, several: bool) -> Estimate:
    """A value and the interval of its resamples. One query alone has no interval."""
    return Estimate(float(value), *(percentiles(resampled) if several else ()))


def _pairs(places: Places, labels: Sequence[Label]) -> tuple[tuple[str, ...], Floats, Floats]:
    """Queries, ratings and distances of the labelled pairs that were found."""
    found = [label for label in labels if label.ticket_id in places.get(label.query.id, {})]
    distances = [places[label.query.id][label.ticket_id][1] for label in found]
    ratings = [label.grade.rating for label in found]
    queries = tuple(label.query.id for label in found)
    return queries, np.array(ratings, dtype=float), np.array(distances, dtype=float)


@lru_cache(maxsize=1)  # all ways of an evaluation have the same labels
def _resamples(queries: tuple[str, ...]) -> npt.NDArray[np.int64]:
    enough = max(min(RESAMPLES, ENOUGH_MEMORY // len(queries)), 200)
    return query_weights(queries, resamples=enough)
