"""The weight of time that suits queries, by their candidates' distances and times.

What counts is how many queries find a right ticket among the ten nearest: a query that the texts
answer by far, or by far not, tells nothing of time. (By cross-entropy the lost queries would set
the weight, and old solutions would be buried.) Duplicates cluster in days, so queries are weighed
such that each age of solutions counts alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ticketing.model.recency import age_of

SHOWN = 10

TYPICAL_WEIGHT = 0.4
"""Where a few queries would decide, as a share of how far distances by the texts spread. Chosen on
validation queries of three trackers (`docs/results/reading.md`)."""

HOLD = 30.0
"""What a change by 1 from the typical weight costs, squared, beside a query found or lost."""

WEIGHTS = np.arange(41) / 40
"""Those that are tried, as shares like the typical one."""


@dataclass(frozen=True)
class DatedQuery:
    """One query of known time, and its candidates.

    `texts` float [n], distances by the texts, infinite for a candidate that is no answer;
    `times` float [n], as `time_apart` has them; `right` bool [n]; `days` to the youngest right
    one; `worth`, what the query counts. A bundle's query has undated candidates as well, at the
    typical time, as a search has them; a peer's leaves them out.
    """

    texts: npt.NDArray[np.floating]
    times: npt.NDArray[np.floating]
    right: npt.NDArray[np.bool_]
    days: float
    worth: float = 1.0


def fit_weight(queries: Sequence[DatedQuery]) -> float:
    """The weight of time by which most queries are answered, each age of solutions alike.

    One scale suits all: what the texts of a bundle or a peer tell apart more widely, time has to.
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
    """How far the texts tell a query's wrong candidates apart: the mean standard deviation of their
    distances, 1 where all are alike."""
    wrong = [query.texts[~query.right & np.isfinite(query.texts)] for query in queries]
    return float(np.mean([float(texts.std()) for texts in wrong if len(texts)] or [0.0])) or 1.0


def answered(query: DatedQuery, weight: float) -> float:
    """How surely a right ticket is among the ten nearest, from 0 to 1.

    A logistic function of how much nearer it is than the tenth of the others.
    """
    apart = query.texts + weight * query.times
    others = np.sort(apart[~query.right & np.isfinite(apart)])
    if len(others) < SHOWN:
        return 1.0
    margin = others[SHOWN - 1] - apart[query.right].min()
    return float(1 / (1 + np.exp(-margin)))


def balanced(ages: Sequence[int], worths: Sequence[float]) -> npt.NDArray[np.float64]:
    """Worths of queries scaled so that each age that any is of counts alike; their sum is kept."""
    sums = np.bincount(ages, worths) if len(ages) else np.zeros(0)
    each = sums.sum() / max(int(np.count_nonzero(sums)), 1)
    scaled: npt.NDArray[np.float64] = np.array(worths) * each / sums[list(ages)]
    return scaled
