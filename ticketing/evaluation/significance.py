"""Confidence intervals by bootstrap and paired randomisation tests, over queries, seeded."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.stats import bootstrap

RESAMPLES = 2000
FLIPS = 9999
LEVEL = 0.95
SEED = 0
ENOUGH_MEMORY = 4_000_000
"""Numbers held in memory at a time while resampling."""
TOLERANCE = 1e-9
"""Sums that differ by less are treated as equal."""


def mean_intervals(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Percentile bootstrap of means over queries: [M, Q] -> lower and upper ends [M, 2].

    All measures share the resampled queries. A single query has no interval (NaN).
    """
    table = np.atleast_2d(np.asarray(values, dtype=float))
    if table.shape[1] < 2:
        return np.full((len(table), 2), np.nan)
    found = bootstrap(
        (table,),
        np.mean,
        axis=-1,
        n_resamples=RESAMPLES,
        batch=max(ENOUGH_MEMORY // table.size, 1),
        confidence_level=LEVEL,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return np.stack([found.low, found.high], -1)


def paired_p(one: npt.ArrayLike, other: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Two-sided paired randomisation test of equal means: [M, Q] each -> p [M].

    Under the null hypothesis a query's two values may change places, so signs of the
    differences are flipped at random; the observed signs count as one of the flips.
    """
    apart = np.atleast_2d(np.asarray(one, dtype=float) - np.asarray(other, dtype=float))
    chance = np.random.default_rng(SEED)
    observed = np.abs(apart.sum(1))  # [M]
    as_large = np.ones(len(apart))
    step = max(ENOUGH_MEMORY // max(apart.shape[1], 1), 1)
    for start in range(0, FLIPS, step):
        flips = min(step, FLIPS - start)
        signs = chance.integers(0, 2, (flips, apart.shape[1])) * 2.0 - 1  # [flips, Q]
        as_large += (np.abs(signs @ apart.T) >= observed - TOLERANCE).sum(0)
    return as_large / (FLIPS + 1)


def query_weights(queries: Sequence[str], resamples: int) -> npt.NDArray[np.int64]:
    """How often each of n pairs counts when whole queries are drawn with replacement: [B, n]."""
    distinct, owner = np.unique(np.asarray(queries), return_inverse=True)
    chance = np.random.default_rng(SEED)
    share = np.full(len(distinct), 1 / len(distinct))
    return chance.multinomial(len(distinct), share, resamples)[:, owner]


def weighted_pearson(
    weights: npt.NDArray[np.int64], x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Pearson r of n pairs, each with the multiplicity in `weights` [B, n] -> [B].

    `x` and `y` are [n] or [B, n]. NaN if one of them does not vary.
    """
    total = weights.sum(1, keepdims=True)
    x = x - (weights * x).sum(1, keepdims=True) / total
    y = y - (weights * y).sum(1, keepdims=True) / total
    both = (weights * x * y).sum(1)
    spread = (weights * x * x).sum(1) * (weights * y * y).sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread > 1e-12, both / np.sqrt(spread), np.nan)


def weighted_ranks(
    weights: npt.NDArray[np.int64], values: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Mean ranks from 1 of n values, each with the multiplicity in `weights` [B, n] -> [B, n]."""
    distinct, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(distinct)))
    mass = np.add.reduceat(weights[:, order], starts, axis=1)  # [B, distinct]
    return (mass.cumsum(1) - (mass - 1) / 2)[:, group]


def percentiles(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The interval that holds LEVEL of the resampled values; NaN if there are too few."""
    known = values[np.isfinite(values)]
    if len(known) < len(values) / 2:
        return np.nan, np.nan
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
