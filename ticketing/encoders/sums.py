"""Sums of a table's rows over the words of texts."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled


def sums_of(
    table: npt.NDArray[np.float32],
    texts: Sequence[npt.NDArray[np.int64]],
    weights: npt.NDArray[np.float32] | None = None,
) -> npt.NDArray[np.float32]:
    """The rows of n texts' words, each times its weight (1 where none is given), added up in
    their order.

    float32 [V, dims], ids below V, float32 [V] -> float32 [n, dims].
    """
    words = np.concatenate([np.empty(0, np.int64), *texts])
    bounds = np.cumsum([0, *map(len, texts)])
    weights = np.ones(len(table), np.float32) if weights is None else weights
    sums = np.zeros((len(texts), table.shape[1]), np.float32)
    _add(table, weights, words, bounds, sums)
    return sums


@compiled
def _add(
    table: npt.NDArray[np.float32],
    weights: npt.NDArray[np.float32],
    words: npt.NDArray[np.int64],
    bounds: npt.NDArray[np.int64],
    sums: npt.NDArray[np.float32],
) -> None:
    for n in range(len(sums)):
        found = sums[n]
        for i in range(bounds[n], bounds[n + 1]):
            row, weight = table[words[i]], weights[words[i]]
            for j in range(len(found)):
                found[j] += weight * row[j]
