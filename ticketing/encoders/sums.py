"""Weighted sums of word vectors over texts, and scaling to unit length."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled

Float = TypeVar("Float", bound=np.floating)

LEAST_LENGTH = 1e-12
"""Minimum divisor in the scaling to unit length."""


def sums_of(
    table: npt.NDArray[np.float32],
    words: npt.NDArray[np.int64],
    bounds: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float32] | None = None,
) -> npt.NDArray[np.float32]:
    """The sum of the rows of each text's words, times their weights (default 1), in order; text i
    has the words [bounds[i], bounds[i + 1]).

    float32 [V, dims], ids [W] below V, int64 [n + 1], float32 [W] -> float32 [n, dims].
    """
    weights = np.ones(len(words), np.float32) if weights is None else weights
    sums = np.zeros((len(bounds) - 1, table.shape[1]), np.float32)
    _add(table, weights, words, bounds, sums)
    return sums


def unit(vectors: npt.NDArray[Float]) -> npt.NDArray[Float]:
    """Vectors [..., dims] scaled to length 1; zero vectors stay zero."""
    lengths = np.sqrt((vectors * vectors).sum(-1, keepdims=True))
    scaled = vectors / np.maximum(lengths, LEAST_LENGTH)
    of_same_type: npt.NDArray[Float] = scaled.astype(vectors.dtype, copy=False)
    return of_same_type


def damped(
    words: npt.NDArray[np.int64], bounds: npt.NDArray[np.int64], repeats: float
) -> npt.NDArray[np.float32]:
    """Counts of the words of n texts, ids [W] between bounds [n + 1]: [W].

    The first occurrence of a word in a text counts 1, later ones less; n occurrences count n **
    `repeats` together.
    """
    longest = int(np.diff(bounds).max(initial=0))
    shares = np.diff(np.arange(1.0, longest + 1) ** repeats, prepend=0).astype(np.float32)
    counts = np.empty(len(words), np.float32)
    _damp(words, bounds, shares, np.zeros(int(words.max(initial=0)) + 1, np.int64), counts)
    return counts


@compiled
def _damp(
    words: npt.NDArray[np.int64],
    bounds: npt.NDArray[np.int64],
    shares: npt.NDArray[np.float32],
    seen: npt.NDArray[np.int64],
    counts: npt.NDArray[np.float32],
) -> None:
    """Fill the count of each word by its earlier occurrences in the text. `seen` counts these; it
    is all zeros before and after each text."""
    for n in range(len(bounds) - 1):
        for i in range(bounds[n], bounds[n + 1]):
            counts[i] = shares[seen[words[i]]]
            seen[words[i]] += 1
        for i in range(bounds[n], bounds[n + 1]):
            seen[words[i]] = 0


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
            row, weight = table[words[i]], weights[i]
            for j in range(len(found)):
                found[j] += weight * row[j]
