"""The scan's inner loop: equation 1 for one query over rows of codes, compiled by numba.

The loop is designed to wait only for memory: rows are prefetched, a block of bytes is compared at a
time, and a bit table excludes most terms that the query lacks. Weights are integers, so the order
of summation does not change the result.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled_exactly
from ticketing.model.layout import TERM_BYTES
from ticketing.retrieval.intrinsics import prefetch, summing, weighted_difference

AHEAD = 3
"""Rows prefetched ahead. A row takes about as long as the memory needs to bring this many; with
more, two threads slow each other down."""

LINE = 64
"""Bytes per cache line."""

BLOCK = 64
"""Bytes compared at a time: a cache line, and the widest register."""

_fetch = prefetch()
_difference = weighted_difference(BLOCK, summing())


@compiled_exactly
def scan(
    codes: npt.NDArray[np.uint8],
    live: npt.NDArray[np.int64],
    size: int,
    block: int,
    bounds: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    masks: npt.NDArray[np.uint8],
    query: npt.NDArray[np.uint8],
    weights: npt.NDArray[np.int64],
    fixed: npt.NDArray[np.int64],
    of_terms: npt.NDArray[np.int64],
    unit: float,
    bits: npt.NDArray[np.uint8],
    table: npt.NDArray[np.uint32],
    shared: npt.NDArray[np.uint64],
    terms_at: int,
    terms: int,
    distances: npt.NDArray[np.float32],
    channels: npt.NDArray[np.float32] | None,
) -> None:
    """Compute the distances of the live rows.

    - codes uint8 [rows, width]: the last byte of a row is the pattern of its present components.
      The distance is infinite for an invalid pattern and if no pair is compared.
    - live int64 [n]: the rows to compare.
    - size: bytes of a component. `block`, `bounds`, `starts`, `masks` and `query`: the query's
      dense channels, see Blocks.
    - weights, fixed, of_terms and unit: see Weighed.
    - bits uint8 [BUCKETS / 8] and table uint32 [BUCKETS]: see `term_table`.
    - shared uint64 [m]: the sums of terms that the first m rows share with the query, as from
      `postings.add`; for the others, terms are read from the row.
    - terms_at: where a row's terms begin. terms: number of terms of a component.
    - distances float32 [n] is filled.
    - channels, zeros float32 [n, C], is filled with each channel's part. The loop is compiled
      separately for None.
    """
    patterns, components, blocks = weights.shape[:3]
    width, dense, lanes = codes.shape[1], bounds.size - 1, of_terms.shape[1]
    # a row as an array of its own would cost reference counting
    flat, weighs = codes.reshape(codes.size), weights.reshape(weights.size)
    spans = np.array([0, blocks]) if channels is None else bounds
    sums, parts = np.zeros(lanes, np.int64), np.zeros(spans.size - 1, np.int64)
    for i in range(live.shape[0]):
        after = live[min(i + AHEAD, live.shape[0] - 1)]
        later = after * width
        _fetch(flat, later + width - 1)
        for line in range(0, terms_at if after < shared.size else width, LINE):
            _fetch(flat, later + line)
        row = live[i] * width
        pattern = np.int64(flat[row + width - 1])
        distances[i] = np.inf
        if pattern >= patterns or fixed[pattern] < 0:
            continue
        total = fixed[pattern]
        if live[i] < shared.size:
            for k in range(lanes):
                sums[k] = shared[live[i]] >> np.uint64(8 * k) & np.uint64(255)
        elif terms:
            _share(flat, row + terms_at, terms, bits, table, components, sums)
        for k in range(lanes):
            total -= of_terms[pattern, k] * sums[k]
        if channels is not None and terms:
            channels[i, dense] = total * unit
        parts[:] = 0
        for r in range(components):
            if not pattern >> r & 1:
                continue
            at, weighed = row + r * size, (pattern * components + r) * blocks * 2
            for c in range(spans.size - 1):
                of = starts, spans[c], spans[c + 1], query, masks, weighs, weighed
                if block == BLOCK:
                    parts[c] += _difference(flat, at, *of)
                else:
                    parts[c] += _plain(flat, at, *of, block)
        for c in range(spans.size - 1):
            total += parts[c]
            if channels is not None:
                channels[i, c] = parts[c] * unit
        distances[i] = total * unit


@compiled_exactly
def _plain(
    row: Any,
    at: Any,
    starts: Any,
    first: Any,
    last: Any,
    query: Any,
    masks: Any,
    weights: Any,
    weighed: Any,
    size: int,
) -> Any:
    """The same as `weighted_difference`, for a component narrower than a block."""
    total = np.int64(0)
    for b in range(first, last):
        for p in range(2):
            apart = np.int64(0)
            for i in range(size):
                own = np.int64(row[at + starts[b] + i] & masks[b * size + i])
                apart += abs(own - np.int64(query[(2 * b + p) * size + i]))
            total += apart * weights[weighed + 2 * b + p]
    return total


@compiled_exactly
def _share(
    row: Any, at: Any, terms: int, bits: Any, table: Any, components: int, sums: Any
) -> None:
    """Fill int64 [P * R + P] with the sums that a row's terms share with the query, see
    `postings.add`."""
    sums[:] = 0
    queries = sums.size // (components + 1)
    held = np.uint64(0)
    for r in range(components):
        k = np.uint64(at + r * terms * TERM_BYTES)
        end = k + np.uint64(terms * TERM_BYTES)
        while k < end:  # unsigned indices need no test for negative ones
            high = np.uint64(row[k + np.uint64(1)]) << np.uint64(8)
            bucket = np.uint64(row[k]) | high
            if bucket == 0:
                break
            if bits[bucket >> np.uint64(3)] >> (bucket & np.uint64(7)) & np.uint64(1):
                word, own = np.int64(table[bucket]), np.int64(row[k + np.uint64(2)])
                place = np.uint64(1) << np.uint64(word >> 16)
                for p in range(queries):
                    asked = word >> 8 * p & 255
                    sums[p * components + r] += min(asked, own)
                    if not held & place:
                        sums[queries * components + p] += asked
                held |= place
            k += np.uint64(TERM_BYTES)


@compiled_exactly
def fill_differences(
    codes: npt.NDArray[np.uint8],
    size: int,
    block: int,
    bounds: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    masks: npt.NDArray[np.uint8],
    query: npt.NDArray[np.uint8],
    apart: npt.NDArray[np.int64],
) -> None:
    """Fill int64 [n, P, R, C] with the differences between rows uint8 [n, width] and a query, for
    each pair of components and each dense channel between `bounds`. The other arguments are as in
    `scan`."""
    rows, queries, components, channels = apart.shape
    flat, width = codes.reshape(codes.size), codes.shape[1]
    for p in range(queries):
        alone = np.zeros(2 * starts.size, np.int64)
        alone[p::2] = 1
        for n in range(rows):
            for r in range(components):
                at = n * width + r * size
                for c in range(channels):
                    of = starts, bounds[c], bounds[c + 1], query, masks, alone, 0
                    if block == BLOCK:
                        apart[n, p, r, c] = _difference(flat, at, *of)
                    else:
                        apart[n, p, r, c] = _plain(flat, at, *of, block)


@compiled_exactly
def fill_shared(
    codes: npt.NDArray[np.uint8],
    bits: npt.NDArray[np.uint8],
    table: npt.NDArray[np.uint32],
    terms_at: int,
    terms: int,
    components: int,
    shared: npt.NDArray[np.int64],
) -> None:
    """Fill int64 [n, P * R + P] with the sums that the terms of rows uint8 [n, width] share with a
    query, see `postings.add`. The other arguments are as in `scan`."""
    flat, width = codes.reshape(codes.size), codes.shape[1]
    for n in range(shared.shape[0]):
        _share(flat, n * width + terms_at, terms, bits, table, components, shared[n])
