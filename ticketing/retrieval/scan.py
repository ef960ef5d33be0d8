"""The scan: equation 1 for one query over all live rows of codes.

Differences of bytes and weights are integers, so distances are the same on every machine. The
weights contain V, W and the quantisation step of each channel.
"""

from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ticketing.encoders.terms import SUM
from ticketing.errors import StoreError
from ticketing.model.layout import CodeLayout
from ticketing.queries import EncodedQuery
from ticketing.retrieval.kernel import BLOCK, LINE, scan
from ticketing.retrieval.threads import ALONE, Threads

T = TypeVar("T", bound=np.generic)

CHUNK = 2048
"""Maximum number of rows that a thread takes at a time."""

NO_SUMS = np.empty(0, np.uint64)


class Blocks(NamedTuple):
    """A query's dense channels, cut into blocks of `size` bytes, each within one component. The
    size is BLOCK, or 1 if a component has fewer bytes.

    `bounds` int64 [C + 1] gives the blocks of each channel, `starts` int64 [S] where each block
    begins in a component, `masks` uint8 [S * size] which of its bytes belong to the channel, and
    `query` uint8 [S * 2 * size] the bytes of the query's one or two components, 0 where masked.
    """

    size: int
    bounds: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    masks: npt.NDArray[np.uint8]
    query: npt.NDArray[np.uint8]


def cut(query: npt.NDArray[np.uint8], bounds: npt.NDArray[np.int64]) -> Blocks:
    """Cut a query's codes uint8 [P, width of a component] into blocks; its channels lie between
    `bounds` int64 [C + 1]."""
    size, ends, starts, meant = _places(tuple(bounds.tolist()))
    taken = np.zeros((len(starts), 2, size), np.uint8)
    taken[:, : len(query)] = query[:, starts[:, None] + np.arange(size)].swapaxes(0, 1)
    taken *= meant[:, None]
    mask = np.where(meant, np.uint8(255), np.uint8(0))
    return Blocks(size, ends, starts, aligned(mask), aligned(taken))


def aligned(values: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """A flat copy of the values that begins at a cache line, so that each block of BLOCK bytes lies
    in one line."""
    room = np.empty(values.size + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    room[start : start + values.size] = values.ravel()
    return room[start : start + values.size]


class Weighed(NamedTuple):
    """A query's weights as integer multiples of its unit, by pattern of a ticket's present
    components.

    `blocks` int64 [2 ** R, R, S, 2] are the weights of blocks. `fixed` int64 [2 ** R] is the
    distance of a ticket with the query's dense vectors and no shared terms, or -1 if no pair is
    compared. `terms` int64 [2 ** R, P * R + P] is subtracted per unit of each sum of
    `postings.add`. `unit` is the query's.
    """

    blocks: npt.NDArray[np.int64]
    fixed: npt.NDArray[np.int64]
    terms: npt.NDArray[np.int64]
    unit: float


def weigh(query: EncodedQuery, blocks: Blocks) -> Weighed:
    """Compute the integer weights of a query with these blocks."""
    patterns, queries, components, _ = query.weights.shape
    dense = len(blocks.bounds) - 1
    weights = np.maximum(query.weights, 0).astype(np.float64)
    lacked = query.coverage.astype(np.float64) / SUM
    whole = np.rint(weights / query.unit).astype(np.int64)  # [2 ** R, P, R, C]
    lack = np.rint(lacked / query.unit).astype(np.int64)  # [P]
    by_block = np.zeros((patterns, components, len(blocks.starts), 2), np.int64)
    of_dense = whole[..., :dense].repeat(np.diff(blocks.bounds), -1)  # [2 ** R, P, R, S]
    by_block[..., :queries] = of_dense.transpose(0, 2, 3, 1)
    shared = 2 * whole[..., dense:].sum(-1)  # [2 ** R, P, R]
    asked = query.terms[:, query.buckets].sum(1, dtype=np.int64)  # [P]
    fixed = SUM * shared.sum((1, 2)) + (lack * asked).sum()
    compared = (query.weights >= 0).any((1, 2, 3))
    of_held = np.broadcast_to(lack, (patterns, queries))
    return Weighed(
        by_block,
        np.where(compared, fixed, -1),
        np.concatenate([shared.reshape(patterns, queries * components), of_held], 1),
        query.unit,
    )


@cache
def _places(
    bounds: tuple[int, ...],
) -> tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """The parts of `Blocks` that do not depend on the query: size, bounds, starts, and which bytes
    belong to the channel, bool [S, size]."""
    size = BLOCK if bounds[-1] >= BLOCK else 1
    ends, starts, masks = [0], [], []
    for first, last in pairwise(bounds):
        for place in range(first, last, size):
            starts.append(min(place, bounds[-1] - size))
            bytes_ = np.arange(starts[-1], starts[-1] + size)
            masks.append((place <= bytes_) & (bytes_ < last))
        ends.append(len(starts))
    meant = np.array(masks, bool).reshape(len(starts), size)
    return size, np.array(ends, np.int64), np.array(starts, np.int64), meant


def scan_distances(
    codes: npt.NDArray[np.uint8],
    live: npt.NDArray[np.int64],
    query: EncodedQuery,
    layout: CodeLayout,
    threads: Threads = ALONE,
    shared: npt.NDArray[np.uint64] = NO_SUMS,
    channels: npt.NDArray[np.float32] | None = None,
) -> npt.NDArray[np.float32]:
    """Distances (-log g, without the time part) of the query to every live row: float32 [n];
    infinite if no pair of components is present. Raises StoreError for rows that do not fit the
    layout.

    `shared` uint64 [m] are the sums of terms that the first m rows share with the query (see
    `postings`); the terms of these rows are then not read. The query's weights are by pattern of a
    ticket's present components, -1 for a pair that is not compared. `channels`, zeros float32 [n,
    C], is filled with the distance of each channel alone.
    """
    distances = np.empty(len(live), dtype=np.float32)
    if not len(live):
        return distances
    if codes.shape[1] != layout.width or not 0 <= live.min() <= live.max() < len(codes):
        raise StoreError(
            f"The codes of these tickets are not {layout.width} bytes wide, or fewer than they"
            " should be; run `ticketing check --repair`."
        )
    size, blocks, weighed, bits, table = prepared(query, layout)
    of_query = size, *blocks, *weighed, bits, table
    of_rows = read_only(shared), layout.terms_span[0], layout.terms

    # One array type, so that the loop is compiled only once.
    codes, live = read_only(codes), read_only(live)

    def part(rows: slice) -> None:
        each = None if channels is None else channels[rows]
        scan(codes, live[rows], *of_query, *of_rows, distances[rows], each)

    threads.share(part, chunks(len(live)))
    return distances


def chunks(rows: int) -> list[slice]:
    """Split a number of rows into equal parts of at most CHUNK."""
    count = -(-rows // CHUNK)
    return [slice(*ends) for ends in pairwise(i * rows // count for i in range(count + 1))]


class Prepared(NamedTuple):
    """The query's arguments for `kernel.scan`, in its order: the bytes of a component, its blocks
    and their weights, and the query's terms as from `term_table`."""

    size: int
    blocks: Blocks
    weighed: Weighed
    bits: npt.NDArray[np.uint8]
    table: npt.NDArray[np.uint32]


@lru_cache(maxsize=8)
def prepared(query: EncodedQuery, layout: CodeLayout) -> Prepared:
    """The query's arguments for `scan`, cached because several blocks are compared with one
    query."""
    blocks = cut(query.codes, layout.bounds)
    terms = term_table(query.terms, query.buckets)
    return Prepared(int(layout.bounds[-1]), blocks, weigh(query, blocks), *terms)


def read_only(array: npt.NDArray[T]) -> npt.NDArray[T]:
    """A read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view


def term_table(
    terms: npt.NDArray[np.uint8], buckets: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint32]]:
    """A bit for each bucket in which the query has a term, and a table with data of these buckets:
    the weight in the query's first component in the lowest byte, that in the second in the next,
    and the bucket's index among the query's terms (64 at most) in the third.

    uint8 [P, BUCKETS], these buckets int64 [n] -> uint8 [BUCKETS / 8], uint32 [BUCKETS].
    """
    held = np.zeros(terms.shape[1], bool)
    held[buckets] = True
    weights = terms[:, buckets].astype(np.uint32)  # [P, query's terms]
    places = np.arange(weights.shape[1], dtype=np.uint32) << np.uint32(16)
    table = np.zeros(terms.shape[1], np.uint32)
    shifts = np.array([[0], [8]], np.uint32)[: len(terms)]
    table[buckets] = (weights << shifts).sum(0, dtype=np.uint32) | places
    return np.packbits(held, bitorder="little"), table


def nearest(distances: npt.NDArray[np.floating], limit: int) -> npt.NDArray[np.int64]:
    """Positions of the `limit` smallest finite distances, nearest first, ties by position."""
    if limit < len(distances):
        bound = np.partition(distances, limit - 1)[limit - 1]
        near = np.flatnonzero(distances <= bound)
    else:
        near = np.arange(len(distances))
    near = near[np.isfinite(distances[near])]
    found: npt.NDArray[np.int64] = near[np.argsort(distances[near], kind="stable")][:limit]
    return found
