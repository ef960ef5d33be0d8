"""Sums of a table's rows over the words of texts."""

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled


def sums_of(
    table: npt.NDArray[np.float32],
    words: npt.NDArray[np.int64],
    bounds: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float32] | None = None,
) -> npt.NDArray[np.float32]:
    """The rows of n texts' words, each times its weight (1 where none is given), added up in
    their order; text i has the words [bounds[i], bounds[i + 1]).

    float32 [V, dims], ids below V, int64 [n + 1], float32 [V] -> float32 [n, dims].
    """
    weights = np.ones(len(table), np.float32) if weights is None else weights
    sums = np.zeros((len(bounds) - 1, table.shape[1]), np.float32)
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
