"""Time of a whole answer: `TICKETING_HOME=… python -m tests.benchmarks.query [queries]`.

Asks the desk the texts of its own tickets, evenly spread, each without its own ticket:
the whole way (encode, scan, fetch, explain, remember the query), then its parts.
"""

import time

import numpy as np
from threadpoolctl import threadpool_limits

from tests.benchmarks.arguments import arguments
from ticketing.desk import open_desk
from ticketing.retrieval.scan import nearest, scan_distances
from ticketing.settings import load_settings
from ticketing.tickets import Query


def main() -> None:
    """Print a line a contender: median and 95th percentile in milliseconds."""
    count = arguments(__doc__, queries=200).queries
    threadpool_limits(1)
    desk = open_desk(load_settings())
    recommender = desk.recommender()
    model = recommender.model
    tickets = [t for t in desk.store.iter_tickets() if t.subject]
    chosen = tickets[:: max(len(tickets) // count, 1)][:count]
    queries = [Query(t.subject, t.description, t.id) for t in chosen]
    block = desk.store.codes(model.id)
    encoded = {query: recommender.encode(query) for query in queries}

    def scan(query: Query):
        return scan_distances(block.codes, block.live, encoded[query], model.layout)

    distances = {query: scan(query) for query in queries}
    contenders = {
        "the whole answer": desk.recommend,
        "  encode the query": model.encode_query,
        "  read the block of codes": lambda _: desk.store.codes(model.id),
        "  scan": scan,
        "  choose ten": lambda query: nearest(distances[query], 10),
    }
    print(f"{len(block.live)} tickets, {len(queries)} queries")
    for name, contender in contenders.items():
        contender(queries[0])
        taken = [seconds(contender, query) * 1000 for query in queries]
        print(f"{name:28} {np.median(taken):8.2f} ms {np.quantile(taken, 0.95):8.2f} ms")


def seconds(contender, query: Query) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    contender(query)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
