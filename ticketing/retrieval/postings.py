"""Channel L by terms: which of a segment's rows hold a term, and what they share with a query.

What a query's components p share with a row's components r, and what of p the row holds at all, are
eight sums of at most SUM each, so one 64-bit number a row holds them: eight lanes of a byte.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled
from ticketing.encoders.terms import BUCKETS
from ticketing.model.layout import CodeLayout
from ticketing.queries import EncodedQuery

LANES = 8
"""P * R of what is shared, then P of what is held."""


@dataclass(frozen=True)
class Postings:
    """Which of S rows hold each bucket: those of bucket b stand between `bounds[b]` and
    `bounds[b + 1]` (uint32 [BUCKETS + 1]), in ascending order: `rows` uint16 [n], and the bucket's
    weight in each of their components, `weights` uint8 [n, R]."""

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


@compiled(exact=True)
def _counted(buckets: npt.NDArray[np.uint16]) -> npt.NDArray[np.int64]:
    """Where each bucket's rows begin: int64 [BUCKETS + 1]."""
    bounds = np.zeros(BUCKETS + 1, np.int64)
    last = np.full(BUCKETS, -1)
    for row in range(buckets.shape[0]):
        for bucket in buckets[row].flat:
            if bucket and last[bucket] != row:
                last[bucket] = row
                bounds[np.int64(bucket) + 1] += 1
    return bounds.cumsum()


@compiled(exact=True)
def _filled(
    buckets: npt.NDArray[np.uint16],
    weights: npt.NDArray[np.uint8],
    bounds: npt.NDArray[np.uint32],
    rows: npt.NDArray[np.uint16],
    of_rows: npt.NDArray[np.uint8],
) -> None:
    """See Postings; `rows` and `of_rows` are filled."""
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
    """Add what a segment's rows share with a query to their lanes uint64 [S]."""
    asked = query.terms[:, query.buckets]  # [P, t]
    _add(postings.bounds, postings.rows, postings.weights, query.buckets, asked, lanes)


@compiled(exact=True)
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
    adds = np.empty(256, np.uint64)  # what each weight in the first component adds to a row's lanes
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
