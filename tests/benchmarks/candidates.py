"""Recall and time of candidates: `TICKETING_HOME=… TICKETING_STORE=… python -m
tests.benchmarks.candidates [queries]`.

Asks a desk on Elasticsearch the texts of its own tickets, evenly spread and each without its own
ticket, as when the ticket was created and as today, and compares the ten nearest among the
candidates with the ten nearest of all, by how many tickets are found by vector.
The exhaustive scan of the same codes, held in memory as the SQLite store does, runs beside it.
"""

import sys
import time
from dataclasses import replace
from datetime import datetime
from itertools import islice

import numpy as np
import torch

from ticketing.desk import Desk, open_desk
from ticketing.model.inference import Model
from ticketing.queries import EncodedQuery
from ticketing.retrieval.scan import nearest, scan_distances
from ticketing.settings import load_settings
from ticketing.stores.protocols import CodeBlock
from ticketing.tickets import Query, Ticket

BY_VECTOR = (100, 200, 400, 800, 1600, 3200)


def main() -> None:
    """Print a line a number of candidates: recall, its least for a query, candidates, time."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    torch.set_num_threads(1)
    desk = open_desk(load_settings())
    model = desk.recommender().model
    tickets = _spread(desk, count)
    block = desk.store.codes(model.id)
    newest = desk.store.newest()
    print(f"{len(block.live)} tickets, {len(tickets)} queries, recency {model.recency.weight:.2f}")
    for name, moment in (("as when created", None), ("as of today", newest)):
        asked = [(query, _asked(desk, model, query, moment)) for query in map(_query, tickets)]
        best, times = [], []
        for query, encoded in asked:
            start = time.perf_counter()
            best.append(_best(model, query, encoded, block))
            times.append(time.perf_counter() - start)
        print(f"\n{name}\n{'all, in memory':>14}  recall 1.0000{'':37}{_times(times)}")
        for by_vector in BY_VECTOR:
            _measure(desk, model, asked, best, by_vector)


def _measure(desk: Desk, model: Model, asked, best, by_vector: int) -> None:
    desk.store.by_vector, desk.store.by_words = by_vector, by_vector // 4
    recalls, sizes, times = [], [], []
    for (query, encoded), right in zip(asked, best, strict=True):
        start = time.perf_counter()
        found = desk.store.candidates(model.id, encoded)
        times.append(time.perf_counter() - start)
        recalls.append(len(set(_best(model, query, encoded, found)) & set(right)) / len(right))
        sizes.append(len(found.ids))
    print(
        f"{by_vector:5} nearest  recall {np.mean(recalls):.4f}  least {min(recalls):.1f}"
        f"  {np.mean(sizes):7.0f} candidates  {_times(times)}"
    )


def _spread(desk: Desk, count: int) -> list[Ticket]:
    step = max(desk.store.count_tickets() // count, 1)
    return [t for t in islice(desk.store.iter_tickets(), None, None, step) if t.subject][:count]


def _query(ticket: Ticket) -> Query:
    return Query(ticket.subject, ticket.description, ticket.id)


def _asked(desk: Desk, model: Model, query: Query, time: datetime | None) -> EncodedQuery:
    encoded = desk.recommender().encode(query)
    return encoded if time is None or not model.recency.weight else replace(encoded, time=time)


def _best(model: Model, query: Query, encoded: EncodedQuery, block: CodeBlock) -> list[str]:
    """Ids of the ten nearest of a block, the query's own ticket apart."""
    distances = scan_distances(block.codes, block.live, encoded, model.layout)
    if model.recency.weight:
        minutes = model.layout.minutes(block.codes, block.live)
        distances += model.recency.distances(encoded.time, minutes).astype(np.float32)
    return [id for i in nearest(distances, 11) if (id := block.ids[i]) != query.ticket_id][:10]


def _times(seconds: list[float]) -> str:
    middle, slow = np.quantile(seconds, [0.5, 0.95]) * 1000
    return f"{middle:7.1f} ms, {slow:7.1f} ms at 95 %"


if __name__ == "__main__":
    main()
