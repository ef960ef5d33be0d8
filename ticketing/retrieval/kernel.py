"""The scan's loop: equation 1 for one query over rows of codes, in compiled code.

The memory is what it should wait for, and nothing else: rows are asked for ahead of time, a block
of bytes is compared at a time, and a bit says of most terms that the query lacks them. All that is
added up over bytes and terms are integers, so their order changes nothing.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled
from ticketing.encoders.terms import SUM
from ticketing.model.layout import TERM_BYTES
from ticketing.retrieval.intrinsics import blocks_difference, prefetch, summing

AHEAD = 16
"""Rows that are asked for before their turn."""

LINE = 64
"""Bytes that the memory brings at a time."""

BLOCK = 64
"""Bytes that are compared at a time: a cache line, and the widest register."""

LOWER = (1 << 32) - 1
"""The half of a number that is the first component's."""

_difference, _fetch = blocks_difference(BLOCK, summing()), prefetch()
_differences = blocks_difference(BLOCK, summing(), queries=2)


@compiled(exact=True)
def scan(
    codes: npt.NDArray[np.uint8],
    live: npt.NDArray[np.int64],
    size: int,
    block: int,
    bounds: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    masks: npt.NDArray[np.uint8],
    query: npt.NDArray[np.uint8],
    bits: npt.NDArray[np.uint8],
    table: npt.NDArray[np.uint32],
    weights: npt.NDArray[np.float32],
    coverage: npt.NDArray[np.float32],
    asked: npt.NDArray[np.int64],
    shared: npt.NDArray[np.uint64],
    terms_at: int,
    terms: int,
    distances: npt.NDArray[np.float32],
    channels: npt.NDArray[np.float32] | None,
) -> None:
    """Distances of live rows.

    codes uint8 [rows, width], the last byte says which components are present: infinite where
    that is more than there are, and where no pair is compared; live int64 [n]; the size of a
    component, and the query's dense channels as Blocks; bits uint8 [BUCKETS / 8] and table uint32
    [BUCKETS], see `term_table`; weights float32 [2 ** R, P, R, C]; coverage float32 [P], what it
    adds to lack one unit of the asked int64 [P]; shared uint64 [n], what the first n rows share
    with the query as `postings.add` gives it: of others the own terms are read; where a row's terms
    begin, and how many a component has; distances float32 [n] is filled. So are channels, zeros
    float32 [n, C], with each one's part of them; it is compiled apart for None.
    """
    queries, components = weights.shape[1:3]
    dense, blocks, width = bounds.size - 1, starts.size, codes.shape[1]
    flat = codes.reshape(codes.size)  # a row of its own would be counted as another reference
    apart = np.zeros((queries, dense), np.int64)
    for i in range(live.shape[0]):
        after = live[min(i + AHEAD, live.shape[0] - 1)]
        later = after * width
        _fetch(flat, later + width - 1)
        for line in range(0, terms_at if after < shared.size else width, LINE):
            _fetch(flat, later + line)
        row = live[i] * width
        pattern = flat[row + width - 1]
        distances[i] = np.inf
        if pattern >= weights.shape[0]:
            continue
        total = np.float32(0)
        compared = False
        held = np.uint64(0)
        first_held, second_held = np.int32(0), np.int32(0)
        known = live[i] < shared.size
        sums = shared[live[i]] if known else np.uint64(0)
        for r in range(components):
            first, second = np.int32(0), np.int32(0)
            told = row + r * size
            k = np.uint64(row + terms_at + r * terms * TERM_BYTES)
            end = k + np.uint64(0 if known else terms * TERM_BYTES)
            while k < end:  # unsigned places are not tried as negative ones
                high = np.uint64(flat[k + np.uint64(1)]) << np.uint64(8)
                bucket = np.uint64(flat[k]) | high
                if bucket == 0:
                    break
                if bits[bucket >> np.uint64(3)] >> (bucket & np.uint64(7)) & np.uint64(1):
                    word, own = np.int32(table[bucket]), np.int32(flat[k + np.uint64(2)])
                    first += min(word & 255, own)
                    second += min(word >> 8 & 255, own)
                    place = np.uint64(1) << np.uint64(word >> 16)
                    if not held & place:
                        held |= place
                        first_held += word & 255
                        second_held += word >> 8 & 255
                k += np.uint64(TERM_BYTES)
            both = block == BLOCK and queries == 2
            both &= weights[pattern, 0, r, 0] >= 0 and weights[pattern, queries - 1, r, 0] >= 0
            if both:
                for c in range(dense):
                    asked_of = bounds[c], bounds[c + 1], query, 0, blocks * block
                    halves = _differences(flat, told, starts, *asked_of, masks)
                    apart[0, c], apart[1, c] = halves & LOWER, halves >> 32
            for p in range(queries):
                if weights[pattern, p, r, 0] < 0:
                    continue
                compared = True
                for c in range(dense):
                    span, there = (bounds[c], bounds[c + 1]), p * blocks * block
                    if block != BLOCK:
                        apart[p, c] = 0
                        for s in range(*span):
                            asked_from = there + s * block
                            apart[p, c] += _plain(
                                flat, told + starts[s], query, asked_from, masks, s * block, block
                            )
                    elif not both:
                        apart[p, c] = _difference(flat, told, starts, *span, query, there, 0, masks)
                    part = weights[pattern, p, r, c] * np.float32(apart[p, c])
                    total += part
                    if channels is not None:
                        channels[i, c] += part
                if terms:
                    common = second if p else first
                    if known:
                        common = lane(sums, p * components + r)
                    part = weights[pattern, p, r, dense] * np.float32(2 * SUM - 2 * common)
                    total += part
                    if channels is not None:
                        channels[i, dense] += part
        if not compared:
            continue
        for p in range(queries):
            has = second_held if p else first_held
            if known:
                has = lane(sums, queries * components + p)
            part = coverage[p] * np.float32(asked[p] - has)
            total += part
            if channels is not None and terms:
                channels[i, dense] += part
        distances[i] = total


@compiled(exact=True)
def lane(sums: Any, place: int) -> Any:
    """One of the eight sums of a row."""
    return np.int32(sums >> np.uint64(8 * place) & np.uint64(255))


@compiled(exact=True)
def _plain(row: Any, at: int, query: Any, start: int, masks: Any, first: int, size: int) -> Any:
    """What `block_difference` gives, for a component that is narrower than a block."""
    apart = np.int32(0)
    for i in range(size):
        apart += abs(np.int32(row[at + i] & masks[first + i]) - np.int32(query[start + i]))
    return apart
