"""Estimates of distances in an indexed archive: the sparse part is exact, the dense part comes from
sketches.

Distances are integers in a unit that is chosen so that the largest fits in 32 bits; a processor can
add many of these at a time.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled_exactly
from ticketing.encoders.terms import SUM
from ticketing.model.inference import Model
from ticketing.model.layout import minute_of
from ticketing.model.recency import MINUTES_A_DAY
from ticketing.queries import EncodedQuery
from ticketing.retrieval.intrinsics import block_difference
from ticketing.retrieval.postings import LANES
from ticketing.retrieval.sketch import BYTES, Sketcher, heaviest

_difference = block_difference(BYTES)

EXCLUDED = np.iinfo(np.int32).max
"""Distance of a row that cannot be compared."""

LARGEST = 1 << 30
"""Estimate of the farthest row; it determines the integer unit."""

MINUTES = 60
"""Step of the table of time parts, in minutes."""

BITS = 12
"""Number of bits examined per pass of `at_rank`, out of 32."""


class Arguments(NamedTuple):
    """A query's arguments for `estimate`. A row's pattern is a bit mask of its present components
    (of R)."""

    sketch: npt.NDArray[np.uint8]
    """The query's sketch, uint8 [2 * R * BYTES]."""
    meant: npt.NDArray[np.uint8]
    """Byte masks: 255 for each compared byte of a sketch (all of them), uint8 [BYTES]."""
    bases: npt.NDArray[np.int32]
    """By pattern, the distance of a row with the query's sketch and no shared terms; EXCLUDED if it
    cannot be compared. int32 [2 ** R]."""
    dense: npt.NDArray[np.int32]
    """By pattern, the distance for a difference of one in a byte, int32 [2 ** R, 2 * R]."""
    sparse: npt.NDArray[np.int32]
    """By pattern, the reduction per unit of a lane's shared terms, int32 [2 ** R, LANES]."""
    minute: int
    """When the query was asked, in minutes."""
    times: npt.NDArray[np.int32]
    """Time part by hours between query and ticket; the last entry is for rows without a date. int32
    [hours + 1]."""


def estimated_by(query: EncodedQuery, model: Model, sketcher: Sketcher) -> Arguments:
    """The arguments for a query with at most two components."""
    weights = np.maximum(query.weights, 0).astype(np.float64)  # [2 ** R, P, R, C]
    patterns, queries, components, _ = weights.shape
    pairs = queries * components
    dense = np.zeros((patterns, 2, components))
    dense[:, :queries] = (
        weights[..., heaviest(model.layout, model.channel_weights)] * sketcher.worths
    )
    sketch = np.zeros((2, components * BYTES), np.uint8)
    sketch[:queries] = sketcher.of_query(query.codes)
    sparse = np.zeros((patterns, LANES))
    lacked, bases = query.coverage / SUM, np.zeros(patterns)
    if model.layout.terms:
        sparse[:, :pairs] = 2 * weights[..., -1].reshape(patterns, pairs)
        sparse[:, pairs : pairs + queries] = lacked
        bases += 2 * SUM * weights[..., -1].sum((1, 2)) + lacked @ query.terms.sum(1)
    times = _times(query, model)
    far = (bases + 255 * BYTES * dense.sum((1, 2))).max() + times.max()
    unit = LARGEST / max(far, 1e-9)
    compared = (query.weights >= 0).any((1, 2, 3))
    whole = [np.rint(values * unit).astype(np.int32) for values in (bases, dense, sparse, times)]
    return Arguments(
        sketch=sketch.ravel(),
        meant=np.full(BYTES, 255, np.uint8),
        bases=np.where(compared, whole[0], EXCLUDED).astype(np.int32),
        dense=whole[1].reshape(patterns, 2 * components),
        sparse=whole[2],
        minute=minute_of(query.time),
        times=whole[3],
    )


def _times(query: EncodedQuery, model: Model) -> npt.NDArray[np.float64]:
    """Time part by hours apart, up to the horizon; the last entry is for tickets without a date."""
    minute, recency, apart = minute_of(query.time), model.recency, 0
    if minute and recency.weight:
        apart = int(recency.horizon * MINUTES_A_DAY) // MINUTES + 1
    minutes = minute + MINUTES * np.arange(apart + 1)
    return recency.distances(query.time, np.append(minutes, 0))


@compiled_exactly
def estimate(
    sketches: npt.NDArray[np.uint8],
    patterns: npt.NDArray[np.uint8],
    minutes: npt.NDArray[np.uint32],
    lanes: npt.NDArray[np.uint8],
    asked: Arguments,
    distances: npt.NDArray[np.int32],
) -> None:
    """Estimate the distances of the S rows of a segment.

    sketches uint8 [S, R * BYTES], patterns of present components uint8 [S], minutes of creation
    uint32 [S], lanes uint8 [S, LANES] (see `postings`). Fills distances int32 [S].
    """
    query, meant, bases, dense, sparse, minute, times = asked
    blocks = dense.shape[1]
    half = blocks // 2
    most = np.int64(times.size - 2)
    for i in range(distances.size):
        pattern = patterns[i]
        if pattern >= bases.size or bases[pattern] == EXCLUDED:
            distances[i] = EXCLUDED
            continue
        total = bases[pattern]
        for k in range(LANES):
            total -= sparse[pattern, k] * np.int32(lanes[i, k])
        row = sketches[i]
        for r in range(half):
            at = r * BYTES
            total += dense[pattern, r] * _difference(row, at, query, at, meant, 0)
            there = at + half * BYTES
            total += dense[pattern, half + r] * _difference(row, at, query, there, meant, 0)
        hours = min(abs(np.int64(minutes[i]) - minute) // MINUTES, most)
        distances[i] = total + times[hours if minutes[i] else most + 1]


@compiled_exactly
def at_rank(values: npt.NDArray[np.int32], rank: int) -> np.int32:
    """The value with `rank` values before it in ascending order; there must be at least one value.
    A radix selection: it counts values by their first BITS bits, then those that share these by the
    next bits. It only reads memory, while a partition would also move values."""
    upper = np.uint32(1 << 31)  # flipping the sign bit makes unsigned order the signed order
    known, mask, shift = np.uint32(0), np.uint32(0), 32
    while shift > 0:
        bits = min(BITS, shift)
        shift -= bits
        counts = np.zeros(1 << bits, np.int64)
        for value in values:
            number = np.uint32(value) ^ upper
            if number & mask == known:
                counts[number >> np.uint32(shift) & np.uint32((1 << bits) - 1)] += 1
        digit = 0
        while rank >= counts[digit]:
            rank -= counts[digit]
            digit += 1
        known |= np.uint32(digit << shift)
        mask |= np.uint32(((1 << bits) - 1) << shift)
    return np.int32(known ^ upper)
