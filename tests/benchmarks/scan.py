"""Time of one query's exact scan: `python -m tests.benchmarks.scan [tickets …]`, for one size after
the other.

Side by side in one run: the compiled scan on 1 and 2 threads, with what an index says of the terms,
as many tickets have one, and without, over a thousandth of the tickets as a
filter leaves them, and without the words themselves (channel L); a single pass over the memory (the
least any exact scan can take); FAISS's exact scan by L1 of one vector a ticket as long as all its
components' dense channels, where `faiss-cpu` is installed; and the same distances in plain numpy.

Components have as many terms as those of the archive have on average (9, 25 and 10), a query has as
many as a component can have, and a tenth of a ticket's terms are the query's.
"""

import time

import numpy as np

from tests.benchmarks.arguments import arguments
from tests.examples import scanned
from ticketing.encoders.terms import BUCKETS, SUM, TERMS
from ticketing.model.layout import CodeLayout
from ticketing.queries import EncodedQuery
from ticketing.retrieval.postings import add, postings_of
from ticketing.retrieval.scan import nearest, scan_distances
from ticketing.retrieval.segments import SEGMENT
from ticketing.retrieval.threads import Threads

DIMS = (50, 350, 100)
HELD = (9, 25, 10)
"""Terms of the components."""

THREADS = 2
REPEATS = 9
SIZES = (5_000, 20_000, 50_000, 100_000, 200_000)
FAISS_BYTES = 6_000_000_000
"""Most bytes of vectors that FAISS is given."""


def main() -> None:
    """Print each size's contenders."""
    for tickets in arguments(__doc__, tickets=SIZES).tickets:
        measure(tickets)


def measure(tickets: int) -> None:
    """Print a line a contender: median milliseconds, and the ratio to the memory pass."""
    whole, dense = made(tickets, TERMS), made(tickets, 0)
    codes, _, *asked = whole
    few = np.sort(np.random.default_rng(1).permutation(tickets)[: tickets // 1000])
    threads = Threads(THREADS)
    contenders = {
        "one pass over the memory": lambda: codes.max(),
        "scan, 1 thread": lambda: scan_distances(*whole),
        "scan, 2 threads": lambda: scan_distances(*whole, threads),
        **indexed_scan(*whole, threads),
        "scan of 0.1 %, 2 threads": lambda: scan_distances(codes, few, *asked, threads),
        "scan without L, 1 thread": lambda: scan_distances(*dense),
        "scan without L, 2 threads": lambda: scan_distances(*dense, threads),
        "the ten nearest of the distances": lambda d=np.random.default_rng(0).random(tickets): (
            nearest(d, 10)
        ),
        **faiss_scan(tickets),
        "numpy, a tenth of them, times 10": lambda: numpy_scan(codes[: tickets // 10], *asked),
    }
    print(f"{tickets} tickets of {codes.shape[1]} bytes, {dense[0].shape[1]} without L")
    times = {name: median(contender) for name, contender in contenders.items()}
    least = times["one pass over the memory"]
    for name, seconds in times.items():
        seconds *= 10 if name.endswith("10") else 1
        print(f"{name:34} {seconds * 1000:9.2f} ms {seconds / least:8.2f} x")


def made(tickets: int, terms: int):
    """Codes and a query, each component with room for so many terms."""
    chance = np.random.default_rng(0)
    layout = CodeLayout(3, DIMS, (0.0,) * 3, (0.01,) * 3, terms)
    codes = chance.integers(0, 255, (tickets, layout.width), dtype=np.uint8)
    codes[:, -1] = 7
    asked = 1 + chance.permutation(BUCKETS - 1)[:terms]
    tables = np.zeros((2, BUCKETS if terms else 0), np.uint8)
    tables[:, asked] = 8
    if terms:
        drawn = chance.integers(1, BUCKETS, (tickets, 3, terms), dtype=np.uint16)
        own = chance.random(drawn.shape, dtype=np.float32) < 0.1
        drawn[own] = chance.choice(asked, own.sum())
        for r, held in enumerate(HELD):
            drawn[:, r, held:] = 0
        packed = np.stack([drawn & 255, drawn >> 8, np.where(drawn, 8, 0)], -1)
        codes[:, slice(*layout.terms_span)] = packed.reshape(tickets, -1)
    both = np.array([True, True])
    query_codes = chance.integers(0, 255, (2, sum(DIMS)), dtype=np.uint8)
    pairs = np.array([[0.3, 0.2, 0.1], [0.2, 0.3, 0.1]])
    channels = np.array([0.7, 0.1, 0.2, 0.2] if terms else [0.7, 0.1, 0.2])
    weights = layout.pattern_weights(pairs, channels, both)
    coverage = np.full(2, 0.1, np.float32) if terms else None
    query = scanned(query_codes, tables, weights, coverage=coverage)
    return codes, np.arange(tickets), query, layout


def indexed_scan(
    codes: np.ndarray,
    live: np.ndarray,
    query: EncodedQuery,
    layout: CodeLayout,
    threads: Threads,
):
    """The scan with postings of all whole segments; none where there are less than two."""
    starts = range(0, len(codes) // SEGMENT * SEGMENT, SEGMENT)
    if len(starts) < 2:
        return {}
    postings = [postings_of(codes[start : start + SEGMENT], layout) for start in starts]

    def scan():
        lanes = np.zeros((len(postings), SEGMENT), np.uint64)
        threads.share(lambda i: add(postings[i], query, lanes[i]), range(len(postings)))
        return scan_distances(codes, live, query, layout, threads, lanes.ravel())

    return {"scan with an index, 2 threads": scan}


def faiss_scan(tickets: int):
    """FAISS's exact scan of as many float32 vectors, of as many as fit its limit."""
    try:
        import faiss
    except ImportError:
        print("FAISS is not installed: pip install faiss-cpu")
        return {}
    width = 3 * sum(DIMS)
    fitting = min(tickets, FAISS_BYTES // (4 * width))
    if fitting < tickets:
        print(f"FAISS is given {fitting} vectors only")
        return {}
    chance = np.random.default_rng(0)
    index = faiss.IndexFlat(width, faiss.METRIC_L1)
    for start in range(0, tickets, 10_000):
        index.add(chance.random((min(10_000, tickets - start), width), dtype=np.float32))
    query = chance.random((1, width), dtype=np.float32)
    faiss.omp_set_num_threads(THREADS)
    return {"FAISS, exact L1 of float32": lambda: index.search(query, 10)}


def median(contender) -> float:
    """Median seconds of a call, after one that does not count."""
    contender()
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        contender()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def numpy_scan(codes: np.ndarray, code: EncodedQuery, layout: CodeLayout) -> np.ndarray:
    """The same distances, U left out, without compiled code, where all components are there."""
    size, query, weights = int(layout.bounds[-1]), code.codes, code.weights
    total = np.zeros(len(codes), dtype=np.float32)
    terms = codes[:, slice(*layout.terms_span)].reshape(len(codes), layout.components, -1, 3)
    buckets = terms[..., 0] + 256 * terms[..., 1].astype(np.int32)  # [rows, R, T]
    for r in range(layout.components):
        for p in range(len(query)):
            shared = np.minimum(code.terms[p][buckets[:, r]], terms[:, r, :, 2]).sum(1)
            total += weights[-1, p, r, -1] * (2 * SUM - 2 * shared.astype(np.float32))
            for c in range(len(layout.dims)):
                start, stop = layout.bounds[c], layout.bounds[c + 1]
                ticket = codes[:, r * size + start : r * size + stop].astype(np.int16)
                apart = np.abs(ticket - query[p, start:stop].astype(np.int16)).sum(1)
                total += weights[-1, p, r, c] * apart
    return total


if __name__ == "__main__":
    main()
