"""The scan: equation 1 for one query over every live row of codes, in compiled code.

The sum of absolute differences of bytes is an integer, so distances are the same on every
machine; the weights already hold V, W and the quantising step of each channel.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from ticketing.similarity.codes import CodeLayout

CHUNK = 8192
"""Rows a thread takes at a time."""


@cache
def compiled_scan() -> Callable:
    """The loop, compiled once a process (about a second); it releases the interpreter lock."""
    from numba import njit

    @njit(nogil=True, boundscheck=False)
    def apart(one, other):
        """Sum of absolute differences of two byte vectors of one length."""
        total = np.int32(0)
        for k in range(one.size):
            total += abs(np.int32(one[k]) - np.int32(other[k]))
        return total

    @njit(nogil=True, boundscheck=False)
    def scan(codes, live, query, bounds, weights, distances):
        """Distances of live rows.

        codes uint8 [rows, width], the last byte says which components are present;
        live int64 [n]; query uint8 [P, width of one component]; bounds int64 [C + 1];
        weights float32 [2 ** R, P, R, C]; distances float32 [n] is filled.
        """
        queries, components, channels = weights.shape[1:]
        size = bounds[channels]
        for i in range(live.shape[0]):
            row = codes[live[i]]
            weight = weights[row[components * size]]
            total = np.float32(0)
            for r in range(components):
                ticket = row[r * size : (r + 1) * size]
                for p in range(queries):
                    if weight[p, r, 0] < 0:
                        continue
                    for c in range(channels):
                        start, stop = bounds[c], bounds[c + 1]
                        total += weight[p, r, c] * np.float32(
                            apart(query[p, start:stop], ticket[start:stop])
                        )
            distances[i] = total

    return scan


def scan_distances(
    codes: np.ndarray,
    live: np.ndarray,
    query: np.ndarray,
    layout: CodeLayout,
    weights: np.ndarray,
    pool: ThreadPoolExecutor | None = None,
) -> np.ndarray:
    """-log g of the query to every live row: float32 [n]; infinite where no pair is present.

    `weights` float32 [2 ** R, P, R, C] comes from `CodeLayout.pattern_weights`: by the pattern
    of a ticket's present components, -1 for a pair that is not compared.
    """
    distances = np.empty(len(live), dtype=np.float32)
    if not len(live):
        return distances
    scan, bounds = compiled_scan(), layout.bounds

    def part(start: int) -> None:
        stop = start + CHUNK
        scan(codes, live[start:stop], query, bounds, weights, distances[start:stop])

    starts = range(0, len(live), CHUNK)
    for _ in pool.map(part, starts) if pool else map(part, starts):
        pass
    comparable = (weights >= 0).any((1, 2, 3))  # [2 ** R]
    if not comparable.all():
        distances[~comparable[codes[live, layout.width - 1]]] = np.inf
    return distances


def nearest(distances: np.ndarray, limit: int) -> np.ndarray:
    """Positions of the `limit` smallest finite distances, nearest first, ties by position."""
    if limit < len(distances):
        bound = np.partition(distances, limit - 1)[limit - 1]
        near = np.flatnonzero(distances <= bound)
    else:
        near = np.arange(len(distances))
    near = near[np.isfinite(distances[near])]
    return near[np.argsort(distances[near], kind="stable")][:limit]
