"""What rows' distances are about: the terms' part as it is, the dense part by the sketch.

All of it is in whole numbers, so many to one of distance that the farthest row fits, which a
processor adds up many at a time.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled
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
"""The distance of a row that cannot be compared."""

LARGEST = 1 << 30
"""Estimate of the farthest row: sets the integer unit."""

MINUTES = 60
"""The step of the table of times."""

BITS = 12
"""Of a number's 32 bits so many at a time tell which numbers are looked at further."""


class Arguments(NamedTuple):
    """What `estimate` takes of a query. A row's pattern is which of its R components it has."""

    sketch: npt.NDArray[np.uint8]
    """The query's sketch, uint8 [2 * R * BYTES]."""
    meant: npt.NDArray[np.uint8]
    """255 for each byte of a sketch that is compared, which are all: uint8 [BYTES]."""
    bases: npt.NDArray[np.int32]
    """By pattern, the distance of a row that shares no term and has the query's sketch; EXCLUDED
    where it cannot be compared. int32 [2 ** R]."""
    dense: npt.NDArray[np.int32]
    """By pattern, what a byte of difference adds, int32 [2 ** R, 2 * R]."""
    sparse: npt.NDArray[np.int32]
    """By pattern, what a shared term of a lane takes away, int32 [2 ** R, LANES]."""
    minute: int
    """When the query was asked."""
    times: npt.NDArray[np.int32]
    """What so many hours apart add, last for a row of no date, int32 [hours + 1]."""


def estimated_by(query: EncodedQuery, model: Model, sketcher: Sketcher) -> Arguments:
    """A query of at most two components as `estimate` takes it."""
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
    """What so many hours apart add, until more add nothing; last for a ticket of no date."""
    minute, recency, apart = minute_of(query.time), model.recency, 0
    if minute and recency.weight:
        apart = int(recency.horizon * MINUTES_A_DAY) // MINUTES + 1
    minutes = minute + MINUTES * np.arange(apart + 1)
    return recency.distances(query.time, np.append(minutes, 0))


@compiled(exact=True)
def estimate(
    sketches: npt.NDArray[np.uint8],
    patterns: npt.NDArray[np.uint8],
    minutes: npt.NDArray[np.uint32],
    lanes: npt.NDArray[np.uint8],
    asked: Arguments,
    distances: npt.NDArray[np.int32],
) -> None:
    """About how far rows are.

    Sketches uint8 [S, R * BYTES], which components are present uint8 [S], minutes of creation
    uint32 [S], lanes uint8 [S, LANES] (see postings); distances int32 [S] is filled.
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


@compiled(exact=True)
def at_rank(values: npt.NDArray[np.int32], rank: int) -> np.int32:
    """The one of at least one value that has so many before it in ascending order. Values are
    counted by their first bits, then those that share these by the next: some passes over memory,
    where a partition moves what it reads."""
    upper = np.uint32(1 << 31)  # turned over, unsigned numbers are in the order of signed ones
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
