"""Time of one query's exact scan: `python -m tests.benchmarks.scan [tickets]`.

Side by side in one run: the compiled scan on 1 and 2 threads, the same distances in
plain numpy, and a single pass over the memory (the least any exact scan can take).
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ticketing.retrieval.kernel import nearest, scan_distances
from ticketing.similarity.codes import CodeLayout

DIMS = (50, 350, 100)
REPEATS = 7


def main() -> None:
    """Print a line a contender: median milliseconds, and the ratio to the memory pass."""
    tickets = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    chance = np.random.default_rng(0)
    layout = CodeLayout(3, DIMS, (0.0,) * 3, (0.01,) * 3)
    codes = chance.integers(0, 255, (tickets, layout.width), dtype=np.uint8)
    codes[:, -1] = 7
    query = chance.integers(0, 255, (2, sum(DIMS)), dtype=np.uint8)
    pairs = np.array([[0.3, 0.2, 0.1], [0.2, 0.3, 0.1]])
    weights = layout.pattern_weights(pairs, np.array([0.7, 0.1, 0.2]), np.array([True, True]))
    live = np.arange(tickets)
    pool = ThreadPoolExecutor(2)
    contenders = {
        "one pass over the memory": lambda: codes.max(),
        "scan, 1 thread": lambda: scan_distances(codes, live, query, layout, weights),
        "scan, 2 threads": lambda: scan_distances(codes, live, query, layout, weights, pool),
        "the ten nearest of the distances": lambda d=chance.random(tickets): nearest(d, 10),
        "numpy": lambda: numpy_scan(codes, query, layout, weights),
    }
    print(f"{tickets} tickets of {layout.width} bytes")
    times = {name: median(contender) for name, contender in contenders.items()}
    least = times["one pass over the memory"]
    for name, seconds in times.items():
        print(f"{name:34} {seconds * 1000:9.2f} ms {seconds / least:8.1f} x")


def median(contender) -> float:
    """Median seconds of a call, after one that does not count."""
    contender()
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        contender()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def numpy_scan(codes: np.ndarray, query: np.ndarray, layout: CodeLayout, weights) -> np.ndarray:
    """The same distances without compiled code, for tickets with all components."""
    size = int(layout.bounds[-1])
    total = np.zeros(len(codes), dtype=np.float32)
    for r in range(layout.components):
        for p in range(len(query)):
            for c in range(len(layout.dims)):
                start, stop = layout.bounds[c], layout.bounds[c + 1]
                ticket = codes[:, r * size + start : r * size + stop].astype(np.int16)
                apart = np.abs(ticket - query[p, start:stop].astype(np.int16)).sum(1)
                total += weights[-1, p, r, c] * apart
    return total


if __name__ == "__main__":
    main()
