"""The scan's loop: equation 1 for one query over rows of codes, in compiled code.

The memory is what it should wait for, and nothing else: rows are asked for ahead of time, a block
of bytes is compared at a time, and a bit says of most terms that the query lacks them.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from ticketing.encoders.terms import SUM
from ticketing.model.layout import TERM_BYTES
from ticketing.retrieval.intrinsics import block_difference, prefetch

AHEAD = 2
"""Rows that are asked for before their turn."""

LINE = 64
"""Bytes of a cache line."""


@cache
def compiled_scan(block: int) -> Callable[..., None]:
    """The loop for blocks of so many bytes, compiled once a process (about a second); it releases
    the interpreter lock."""
    from numba import njit

    difference, fetch = block_difference(block), prefetch()

    @njit(nogil=True, boundscheck=False)
    def scan(
        codes: npt.NDArray[np.uint8],
        live: npt.NDArray[np.int64],
        size: int,
        bounds: npt.NDArray[np.int64],
        starts: npt.NDArray[np.int64],
        masks: npt.NDArray[np.uint8],
        query: npt.NDArray[np.uint8],
        bits: npt.NDArray[np.uint8],
        table: npt.NDArray[np.uint32],
        worths: npt.NDArray[np.float32],
        terms_at: int,
        terms: int,
        weights: npt.NDArray[np.float32],
        comparable: npt.NDArray[np.bool_],
        distances: npt.NDArray[np.float32],
    ) -> None:
        """Distances of live rows.

        codes uint8 [rows, width], the last byte says which components are present: infinite where
        that is more than there are, and where no pair is compared, which `comparable` bool [2 ** R]
        says; live int64 [n]; the size of a component, and the query's dense channels as Blocks;
        bits uint8 [BUCKETS / 8] and table uint32 [BUCKETS], see `term_table`; worths float32
        [query's terms] (what it adds to lack each); where a row's terms begin, and how many a
        component has; weights float32 [2 ** R, P, R, C]; distances float32 [n] is filled.
        """
        queries, components = weights.shape[1:3]
        dense, blocks = bounds.size - 1, starts.size
        for i in range(live.shape[0]):
            later = codes[live[min(i + AHEAD, live.shape[0] - 1)]]
            for line in range(0, later.size, LINE):
                fetch(later, line)
            row = codes[live[i]]
            pattern = row[row.size - 1]
            if pattern >= comparable.size or not comparable[pattern]:
                distances[i] = np.inf
                continue
            weight = weights[pattern]
            total = np.float32(0)
            held = np.uint64(0)
            for r in range(components):
                first, second = np.int32(0), np.int32(0)
                k = np.uint64(terms_at + r * terms * TERM_BYTES)
                end = k + np.uint64(terms * TERM_BYTES)
                while k < end:  # unsigned places are not tried as negative ones
                    high = np.uint64(row[k + np.uint64(1)]) << np.uint64(8)
                    bucket = np.uint64(row[k]) | high
                    if bucket == 0:
                        break
                    if bits[bucket >> np.uint64(3)] >> (bucket & np.uint64(7)) & np.uint64(1):
                        word, own = np.int32(table[bucket]), np.int32(row[k + np.uint64(2)])
                        first += min(word & 255, own)
                        second += min(word >> 8 & 255, own)
                        held |= np.uint64(1) << np.uint64(word >> 16)
                    k += np.uint64(TERM_BYTES)
                for p in range(queries):
                    if weight[p, r, 0] < 0:
                        continue
                    for c in range(dense):
                        apart = np.int32(0)
                        for s in range(bounds[c], bounds[c + 1]):
                            here, asked = r * size + starts[s], (p * blocks + s) * block
                            found = difference(row, here, query, asked, masks, s * block)
                            apart = np.int32(apart + found)
                        total += weight[p, r, c] * np.float32(apart)
                    if terms:
                        shared = second if p else first
                        total += weight[p, r, dense] * np.float32(2 * SUM - 2 * shared)
            for place in range(worths.size):
                has = held >> np.uint64(place) & np.uint64(1)
                total += worths[place] * np.float32(np.uint64(1) - has)
            distances[i] = total

    return scan
