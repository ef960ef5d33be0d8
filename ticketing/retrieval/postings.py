"""Postings of channel L: which rows of a segment contain a term, and sums of terms shared with a
query.

For each pair of components there is a sum of shared weights, and for each query component a sum of
the weights of terms that the row has at all. These eight sums are at most SUM each, so one 64-bit
integer per row holds them, in eight lanes of a byte.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled_exactly
from ticketing.encoders.terms import BUCKETS
from ticketing.model.layout import CodeLayout
from ticketing.queries import EncodedQuery

LANES = 8
"""Lanes per row: P * R sums of shared weights, then P sums of terms that the row has."""


@dataclass(frozen=True)
class Postings:
    """Inverted index of S rows. The rows of bucket b are between `bounds[b]` and `bounds[b + 1]`
    (uint32 [BUCKETS + 1]), in ascending order: `rows` uint16 [n], and the bucket's weight in each
    of their components, `weights` uint8 [n, R]."""

    bounds: npt.NDArray[np.uint32]
    rows: npt.NDArray[np.uint16]
    weights: npt.NDArray[np.uint8]


def postings_of(codes: npt.NDArray[np.uint8], layout: CodeLayout) -> Postings:
    """The postings of rows of codes uint8 [S, width]; S is at most 65,536."""
    lists = layout.kept_terms(codes)
    bounds = _counted(lists[0]).astype(np.uint32)
    rows = np.zeros(bounds[-1], np.uint16)
    of_rows = np.zeros((bounds[-1], layout.components), np.uint8)
    _filled(*lists, bounds, rows, of_rows)
    return Postings(bounds, rows, of_rows)


@compiled_exactly
def _counted(buckets: npt.NDArray[np.uint16]) -> npt.NDArray[np.int64]:
    """Start of each bucket's rows: int64 [BUCKETS + 1]."""
    bounds = np.zeros(BUCKETS + 1, np.int64)
    last = np.full(BUCKETS, -1)
    for row in range(buckets.shape[0]):
        for bucket in buckets[row].flat:
            if bucket and last[bucket] != row:
                last[bucket] = row
                bounds[np.int64(bucket) + 1] += 1
    return bounds.cumsum()


@compiled_exactly
def _filled(
    buckets: npt.NDArray[np.uint16],
    weights: npt.NDArray[np.uint8],
    bounds: npt.NDArray[np.uint32],
    rows: npt.NDArray[np.uint16],
    of_rows: npt.NDArray[np.uint8],
) -> None:
    """Fill `rows` and `of_rows`, see Postings."""
    ends = bounds[:-1].astype(np.int64)
    last = np.full(BUCKETS, -1)
    for row in range(buckets.shape[0]):
        for r in range(buckets.shape[1]):
            for k in range(buckets.shape[2]):
                bucket = buckets[row, r, k]
                if not bucket:
                    break
                if last[bucket] != row:
                    last[bucket] = row
                    rows[ends[bucket]] = row
                    ends[bucket] += 1
                of_rows[ends[bucket] - 1, r] = weights[row, r, k]


def add(postings: Postings, query: EncodedQuery, lanes: npt.NDArray[np.uint64]) -> None:
    """Add the sums that a segment's rows share with a query to their lanes uint64 [S]."""
    asked = query.terms[:, query.buckets]  # [P, t]
    _add(postings.bounds, postings.rows, postings.weights, query.buckets, asked, lanes)


@compiled_exactly
def _add(
    bounds: npt.NDArray[np.uint32],
    rows: npt.NDArray[np.uint16],
    weights: npt.NDArray[np.uint8],
    buckets: npt.NDArray[np.int64],
    asked: npt.NDArray[np.uint8],
    lanes: npt.NDArray[np.uint64],
) -> None:
    """See `add`."""
    components, queries = weights.shape[1], len(asked)
    adds = np.empty(256, np.uint64)  # by weight in the first component
    for i in range(buckets.size):
        held = np.uint64(0)
        adds[:] = 0
        for p in range(queries):
            most = np.uint64(asked[p, i])
            held |= most << np.uint64(8 * (queries * components + p))
            for own in range(256):
                adds[own] |= min(most, np.uint64(own)) << np.uint64(8 * p * components)
        for k in range(bounds[buckets[i]], bounds[buckets[i] + 1]):
            added = held
            for r in range(components):
                added += adds[weights[k, r]] << np.uint64(8 * r)
            lanes[rows[k]] += added
