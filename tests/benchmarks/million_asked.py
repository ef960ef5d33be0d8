"""What `tests.benchmarks.million` measures, in a process that begins with nothing."""

import json
import time
from collections.abc import Callable
from pathlib import Path

STARTED = time.perf_counter()

import numpy as np  # noqa: E402

from tests.benchmarks.arguments import arguments  # noqa: E402
from ticketing.desk import Desk, open_desk  # noqa: E402
from ticketing.settings import load_settings  # noqa: E402
from ticketing.tickets import Filters, Query  # noqa: E402

RARE, HALF = "one in a thousand", "every other"
EXHAUSTIVE = 25
"""Queries for which an exhaustive answer is timed."""


def main() -> None:
    """Measure one thing."""
    what = arguments(__doc__, what=str).what
    desk = open_desk(load_settings())
    asked = json.loads((Path(desk.settings.home) / "asked.json").read_text())
    queries = [Query(*texts) for texts in asked]
    if what.isdigit():
        answers(desk, queries[: int(what)])
        return
    desk.preview(queries[0])
    seconds, used = time.perf_counter() - STARTED, time.process_time()
    print(
        f"a process's first answer after {seconds:.2f} s, {used:.2f} of processor;"
        f" {own_memory():.0f} MB are its own",
        flush=True,
    )
    if what == "first":
        desk.recommender().derive()
        used = time.process_time() - used
        print(f"  the index was made with {used:.1f} s of processor more", flush=True)
        codes = desk.settings.home / "codes"
        size = sum(path.stat().st_size for path in codes.glob("*/*"))
        print(f"  and has {size / desk.whole.count_tickets():.0f} bytes a ticket", flush=True)


def own_memory() -> float:
    """MB of this process that are mapped from no file."""
    status = Path("/proc/self/status").read_text()
    [own] = [line.split()[1] for line in status.splitlines() if line.startswith("RssAnon")]
    return int(own) / 1024


def answers(desk: Desk, queries: list[Query]) -> None:
    """Print a line a contender: milliseconds at the median and the 99th percentile, of wall and of
    processor, and the share of the exhaustive ten."""
    recommender = desk.recommender()
    block = desk.whole.codes(recommender.model.id)
    print(f"{len(block.live)} tickets of {block.codes.shape[1]} bytes, {len(queries)} queries")
    few = queries[:EXHAUSTIVE]
    timed("one pass over the codes", lambda _: block.codes.max(), few[:5])
    timed("the whole answer", desk.preview, queries)
    timed("  encoding the query", recommender.encode, queries)
    timed("  its nearest tickets", recommender.nearest, queries)
    timed("  distances of all, exact", recommender.compare, few)
    timed("  exhaustively", lambda query: recommender.nearest(query, exhaustive=True), few)
    for name, filters in {
        "with a filter that leaves 0.1 %": Filters(product=RARE),
        "with a filter that leaves half": Filters(status=HALF),
    }.items():
        timed(f"the whole answer, {name}", lambda query, of=filters: desk.preview(query, of), few)
    print(f"{own_memory():.0f} MB are the process's own")
    found = [share(recommender, query) for query in queries]
    print(f"recall of the exhaustive ten {np.mean(found):.4f}, least {min(found):.1f}")


def share(recommender, query: Query) -> float:
    """The share of the exhaustive ten that two steps find."""
    whole = recommender.nearest(query, exhaustive=True).best.ids[:10]
    return len(set(whole) & set(recommender.nearest(query).best.ids[:10])) / len(whole)


def timed(name: str, ask: Callable[[Query], object], queries: list[Query]) -> None:
    """Print what asking costs."""
    ask(queries[0])
    wall, used = [], []
    for query in queries:
        start, processor = time.perf_counter(), time.process_time()
        ask(query)
        wall.append(1000 * (time.perf_counter() - start))
        used.append(1000 * (time.process_time() - processor))
    print(
        f"{name:48} {np.median(wall):7.1f} ms, p99 {np.quantile(wall, 0.99):7.1f}; of processor"
        f" {np.median(used):7.1f}, p99 {np.quantile(used, 0.99):7.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
