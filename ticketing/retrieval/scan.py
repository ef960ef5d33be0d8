"""The scan: equation 1 for one query over every live row of codes, in compiled code.

The sum of absolute differences of bytes is an integer, so distances are the same on every
machine; the weights already hold V, W and the quantising step of each channel.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import numpy.typing as npt

from ticketing.encoders.terms import SUM
from ticketing.errors import StoreError
from ticketing.model.layout import TERM_BYTES, CodeLayout
from ticketing.queries import EncodedQuery

CHUNK = 8192
"""Rows a thread takes at a time."""


@cache
def compiled_scan() -> Callable[..., None]:
    """The loop, compiled once a process (about a second); it releases the interpreter lock."""
    from numba import njit

    @njit(nogil=True, boundscheck=False)
    def apart(one: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8]) -> np.int32:
        """Sum of absolute differences of two byte vectors of one length."""
        total = np.int32(0)
        for k in range(one.size):
            total += abs(np.int32(one[k]) - np.int32(other[k]))
        return total

    @njit(nogil=True, boundscheck=False)
    def share(
        table: npt.NDArray[np.uint16],
        places: npt.NDArray[np.uint8],
        terms: npt.NDArray[np.uint8],
        held: np.uint64,
    ) -> tuple[np.int32, np.int32, np.uint64]:
        """Weights that a query's first and second component share with a ticket's terms, and
        `held` with a bit more for each of the query's terms that is among them.

        `table` uint16 [BUCKETS] is that of `term_table`, `places` uint8 [BUCKETS] of `term_places`.
        """
        first, second = np.int32(0), np.int32(0)
        for i in range(terms.size // TERM_BYTES):
            k = np.uint64(i * TERM_BYTES)  # unsigned indices are not tried as negative ones
            bucket = np.uint64(terms[k]) | np.uint64(terms[k + np.uint64(1)]) << np.uint64(8)
            if bucket == 0:
                break
            weight, both = np.int32(terms[k + np.uint64(2)]), np.int32(table[bucket])
            first += min(both & 255, weight)
            second += min(both >> 8, weight)
            if both:
                held |= np.uint64(1) << np.uint64(places[bucket])
        return first, second, held

    @njit(nogil=True, boundscheck=False)
    def scan(
        codes: npt.NDArray[np.uint8],
        live: npt.NDArray[np.int64],
        query: npt.NDArray[np.uint8],
        bounds: npt.NDArray[np.int64],
        table: npt.NDArray[np.uint16],
        places: npt.NDArray[np.uint8],
        worths: npt.NDArray[np.float32],
        terms_at: int,
        terms_end: int,
        weights: npt.NDArray[np.float32],
        comparable: npt.NDArray[np.bool_],
        distances: npt.NDArray[np.float32],
    ) -> None:
        """Distances of live rows.

        codes uint8 [rows, width], the last byte says which components are present: infinite where
        that is more than there are, and where no pair is compared, which `comparable` bool [2 ** R]
        says;
        live int64 [n]; query uint8 [P, width of one component]; bounds int64 [dense C + 1];
        table uint16 [BUCKETS] or empty, places uint8 [BUCKETS] or empty, worths float32 [query's
        terms] (what it adds to lack each), and where a row's terms lie; weights float32
        [2 ** R, P, R, C]; distances float32 [n] is filled.
        """
        queries, components = weights.shape[1:3]
        dense = bounds.size - 1
        size = bounds[dense]
        terms = (terms_end - terms_at) // components
        for i in range(live.shape[0]):
            row = codes[live[i]]
            pattern = row[row.size - 1]
            if pattern >= comparable.size or not comparable[pattern]:
                distances[i] = np.inf
                continue
            weight = weights[pattern]
            total = np.float32(0)
            held = np.uint64(0)
            for r in range(components):
                ticket = row[r * size : (r + 1) * size]
                first = terms_at + r * terms
                one, other, held = share(table, places, row[first : first + terms], held)
                shared = (one, other)
                for p in range(queries):
                    if weight[p, r, 0] < 0:
                        continue
                    for c in range(dense):
                        start, stop = bounds[c], bounds[c + 1]
                        total += weight[p, r, c] * np.float32(
                            apart(query[p, start:stop], ticket[start:stop])
                        )
                    if terms:
                        total += weight[p, r, dense] * np.float32(2 * SUM - 2 * shared[p])
            for k in range(worths.size):
                if not held >> np.uint64(k) & np.uint64(1):
                    total += worths[k]
            distances[i] = total

    return scan


def scan_distances(
    codes: npt.NDArray[np.uint8],
    live: npt.NDArray[np.int64],
    query: EncodedQuery,
    layout: CodeLayout,
    pool: ThreadPoolExecutor | None = None,
) -> npt.NDArray[np.float32]:
    """-log g of the query to every live row, time apart: float32 [n]; infinite where no pair is
    present. Raises StoreError for rows that the layout does not describe.

    The query's weights are by the pattern of a ticket's present components, -1 for a pair that is
    not compared.
    """
    weights = query.weights
    distances = np.empty(len(live), dtype=np.float32)
    if not len(live):
        return distances
    if codes.shape[1] != layout.width or not 0 <= live.min() <= live.max() < len(codes):
        raise StoreError(
            f"The codes of these tickets are not {layout.width} bytes wide, or fewer than they"
            " should be; run `ticketing check --repair`."
        )
    scan, bounds = compiled_scan(), layout.bounds
    comparable = np.any(weights >= 0, axis=(1, 2, 3))  # [2 ** R]
    table = term_table(query.terms)
    places, worths = term_places(query.terms, query.coverage)

    def part(start: int) -> None:
        stop = start + CHUNK
        about = query.codes, bounds, table, places, worths, *layout.terms_span, weights
        scan(codes, live[start:stop], *about, comparable, distances[start:stop])

    starts = range(0, len(live), CHUNK)
    for _ in pool.map(part, starts) if pool else map(part, starts):
        pass
    return distances


def term_table(terms: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint16]:
    """The term weights of a query's one or two components, so that one look-up finds both.

    uint8 [P, BUCKETS] -> uint16 [BUCKETS]: the first component's weight in the lower byte, the
    second's in the upper one.
    """
    places = np.array([[1], [256]], np.uint16)[: len(terms)]
    table: npt.NDArray[np.uint16] = (terms * places).sum(0, np.uint16)
    return table


def term_places(
    terms: npt.NDArray[np.uint8], coverage: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """A place from 0 for each of a query's terms, at most 64, and what it adds to lack it.

    uint8 [P, BUCKETS] and U [P] -> uint8 [BUCKETS], float32 [terms]; no terms where U is 0.
    """
    places = np.zeros(terms.shape[1], np.uint8)
    if not coverage.any():
        return places, np.zeros(0, np.float32)
    distinct = np.flatnonzero(terms.any(0))
    places[distinct] = np.arange(len(distinct))
    worths = coverage @ (terms[:, distinct] / SUM)
    return places, worths.astype(np.float32)


def nearest(distances: npt.NDArray[np.float32], limit: int) -> npt.NDArray[np.int64]:
    """Positions of the `limit` smallest finite distances, nearest first, ties by position."""
    if limit < len(distances):
        bound = np.partition(distances, limit - 1)[limit - 1]
        near = np.flatnonzero(distances <= bound)
    else:
        near = np.arange(len(distances))
    near = near[np.isfinite(distances[near])]
    return near[np.argsort(distances[near], kind="stable")][:limit]
