"""Recall and time of candidates: `TICKETING_HOME=… TICKETING_STORE=… python -m
tests.benchmarks.candidates [queries]`.

Asks a desk on Elasticsearch the texts of its own tickets, evenly spread and each without its own
ticket, as when the ticket was created and as today; then, as today, their subjects alone, one word
of each, that word with two letters swapped, and nonsense. Compares the ten nearest among the
candidates with the ten nearest of all, by how many tickets are found by vector, as in a desk of
more tickets than a process holds the codes of. The exhaustive scan of the same codes, held in
memory as the SQLite store does, runs beside it.
"""

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from unittest import mock

import numpy as np
import torch

from tests.benchmarks.arguments import arguments
from ticketing.desk import Desk, open_desk
from ticketing.model.inference import Model
from ticketing.queries import EncodedQuery
from ticketing.retrieval.scan import nearest, scan_distances
from ticketing.settings import load_settings
from ticketing.stores.blocks import CodeBlock
from ticketing.stores.elasticsearch import candidates, mirrors
from ticketing.text import tokenize
from ticketing.tickets import Query, Ticket

SHARES = (0.5, 1, 2)
"""Of what the store finds."""


def main() -> None:
    """Print a line a number of candidates: recall, its least for a query, candidates, time."""
    count = arguments(__doc__, queries=100).queries
    torch.set_num_threads(1)
    desk = open_desk(load_settings())
    model = desk.recommender().model
    tickets = _spread(desk, count)
    block = desk.store.codes(model.id)
    newest = desk.store.newest()
    print(f"{len(block.live)} tickets, {len(tickets)} queries, recency {model.recency.weight:.2f}")
    for name, queries in _kinds(tickets).items():
        moment = None if name == "as when created" else newest
        asked = [(query, _asked(desk, model, query, moment)) for query in queries]
        best, times = [], []
        for query, encoded in asked:
            start = time.perf_counter()
            best.append(_best(model, query, encoded, block))
            times.append(time.perf_counter() - start)
        print(f"\n{name}\n{'all, in memory':>14}  recall 1.0000{'':37}{_times(times)}")
        with mock.patch.object(mirrors, "MOST", 0):
            for share in SHARES:
                _measure(desk, model, asked, best, share)


def _measure(desk: Desk, model: Model, asked, best, share: float) -> None:
    desk.store.by_vector = int(share * candidates.BY_VECTOR)
    desk.store.by_words = int(share * candidates.BY_WORDS)
    recalls, sizes, times = [], [], []
    for (query, encoded), right in zip(asked, best, strict=True):
        start = time.perf_counter()
        found = desk.store.candidates(model.id, encoded)
        times.append(time.perf_counter() - start)
        recalls.append(len(set(_best(model, query, encoded, found)) & set(right)) / len(right))
        sizes.append(len(found.ids))
    print(
        f"{desk.store.by_vector:5} nearest  recall {np.mean(recalls):.4f}  least {min(recalls):.1f}"
        f"  {np.mean(sizes):7.0f} candidates  {_times(times)}"
    )


def _spread(desk: Desk, count: int) -> list[Ticket]:
    step = max(desk.store.count_tickets() // count, 1)
    return [t for t in islice(desk.store.iter_tickets(), None, None, step) if t.subject][:count]


def _kinds(tickets: Sequence[Ticket]) -> dict[str, list[Query]]:
    """Queries by kind."""
    rng = random.Random(0)
    whole = [Query(t.subject, t.description, t.id) for t in tickets]
    words = list(_words(tickets, rng))
    return {
        "as when created": whole,
        "as of today": whole,
        "subject alone": [Query(t.subject, "", t.id) for t in tickets],
        "one word": [Query(word, "", id) for id, word in words],
        "a typo": [Query(_swapped(word, rng), "", id) for id, word in words],
        "nonsense": [Query(_nonsense(rng), "") for _ in words],
    }


def _words(tickets: Sequence[Ticket], rng: random.Random) -> Iterator[tuple[str, str]]:
    """A ticket's id and a word of its subject."""
    for ticket in tickets:
        words = [x for x in tokenize(ticket.subject) if x.isalpha() and len(x) > 3]
        if words:
            yield ticket.id, rng.choice(words)


def _swapped(word: str, rng: random.Random) -> str:
    i = rng.randrange(1, len(word) - 1)
    return word[:i] + word[i + 1] + word[i] + word[i + 2 :]


def _nonsense(rng: random.Random) -> str:
    syllables = range(rng.randrange(2, 5))
    return "".join(rng.choice("bcdfghjklmnprstvwxz") + rng.choice("aeiou") for _ in syllables)


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
