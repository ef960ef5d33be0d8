"""Fits the weight of time from the distances and times of queries' candidates.

The objective is the number of queries with a right ticket among the ten nearest. Queries that the
texts answer clearly, or clearly not, say nothing about time. (With cross-entropy, hopeless queries
would determine the weight, and old solutions would be ranked too low.) Duplicates cluster within
days, so queries are weighted such that each age class of solutions counts the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ticketing.model.recency import age_of

SHOWN = 10

TYPICAL_WEIGHT = 0.4
"""Default weight of time when there are few queries, relative to the spread of distances by text.
Chosen on validation queries of three trackers (`docs/results/reading.md`)."""

HOLD = 30.0
"""Penalty of a change by 1 from the default weight (squared), relative to one query found or
lost."""

WEIGHTS = np.arange(41) / 40
"""Weights that are tried, relative to the spread of distances by text, like TYPICAL_WEIGHT."""


@dataclass(frozen=True)
class DatedQuery:
    """A query of known time and its candidates.

    `texts` float [n] are distances by text, infinite for a candidate that is not eligible; `times`
    float [n] as of `time_apart`; `right` bool [n]; `days` to the youngest right one; `worth` is the
    query's weight. A bundle's query also has undated candidates, at the typical time, as in a
    search; a peer's query leaves them out.
    """

    texts: npt.NDArray[np.floating]
    times: npt.NDArray[np.floating]
    right: npt.NDArray[np.bool_]
    days: float
    worth: float = 1.0


def fit_weight(queries: Sequence[DatedQuery]) -> float:
    """The weight of time with which most queries are answered, with each age class counting the
    same.

    One scale fits all: if the texts' distances of a bundle or peer spread more widely, the weight
    of time grows with them.
    """
    spread = spread_of(queries)
    scaled = [replace(query, texts=query.texts / spread) for query in queries]
    known = [query for query in scaled if np.isfinite(query.texts[query.right]).any()]
    worths = balanced([age_of(query.days) for query in known], [query.worth for query in known])
    gains = -HOLD * (WEIGHTS - TYPICAL_WEIGHT) ** 2
    for query, worth in zip(known, worths, strict=True):
        gains += worth * np.array([answered(query, weight) for weight in WEIGHTS])
    return float(WEIGHTS[gains.argmax()]) * spread


def spread_of(queries: Sequence[DatedQuery]) -> float:
    """The mean standard deviation of the distances of wrong candidates; 1 if all are equal."""
    wrong = [query.texts[~query.right & np.isfinite(query.texts)] for query in queries]
    return float(np.mean([float(texts.std()) for texts in wrong if len(texts)] or [0.0])) or 1.0


def answered(query: DatedQuery, weight: float) -> float:
    """Soft indicator, from 0 to 1, that a right ticket is among the ten nearest.

    A logistic function of how much nearer the nearest right ticket is than the tenth of the others.
    """
    apart = query.texts + weight * query.times
    others = np.sort(apart[~query.right & np.isfinite(apart)])
    if len(others) < SHOWN:
        return 1.0
    margin = others[SHOWN - 1] - apart[query.right].min()
    return float(1 / (1 + np.exp(-margin)))


def balanced(ages: Sequence[int], worths: Sequence[float]) -> npt.NDArray[np.float64]:
    """Scale the weights of queries so that each occurring age class has the same total; the sum is
    kept."""
    sums = np.bincount(ages, worths) if len(ages) else np.zeros(0)
    each = sums.sum() / max(int(np.count_nonzero(sums)), 1)
    scaled: npt.NDArray[np.float64] = np.array(worths) * each / sums[list(ages)]
    return scaled
