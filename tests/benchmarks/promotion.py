"""How long searches take while another bundle begins to serve, against before it.

    python -m tests.benchmarks.promotion [TICKETS]

Two bundles of the default network are trained, for one epoch, on generated tickets (2,000 unless
said otherwise) in a home that is thrown away. Two people ask one after the other, in the process
that is to swap; the promotion itself is another desk's.
"""

import tempfile
import threading
import time
from contextlib import closing
from itertools import islice
from pathlib import Path

import numpy as np

from tests.benchmarks.arguments import arguments
from tests.tiny import other_bundle, tiny_training
from ticketing.demo.generator import iter_tickets
from ticketing.desk import Desk, open_desk
from ticketing.settings import load_settings
from ticketing.tickets import Query

PEOPLE = 2
SECONDS = 10.0


def main(count: int) -> None:
    """Print the times of searches before, during and after the swap."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(home=Path(folder) / "home", store="")
        with closing(open_desk(settings)) as desk, closing(open_desk(settings)) as promoting:
            queries = prepare(desk, count)
            other = encoded(promoting, desk.store.serving())
            desk.warm_up()
            before = asked(desk, queries, lambda began: time.monotonic() > began + SECONDS)
            promoting.store.set_serving(other)
            during = asked(desk, queries, lambda _: desk.recommender().model.id == other)
            after = asked(desk, queries, lambda began: time.monotonic() > began + SECONDS)
    for name, times in (("before", before), ("during", during), ("after", after)):
        ms = 1000 * np.array(times)
        p50, p99 = np.percentile(ms, [50, 99])
        print(
            f"{name:6} {len(ms):6} searches: p50 {p50:.0f} ms, p99 {p99:.0f}, most {ms.max():.0f}"
        )


def prepare(desk: Desk, count: int) -> list[Query]:
    """Tickets and a bundle that serves; queries that were not asked yet."""
    import torch

    torch.set_num_threads(1)  # as `ticketing serve` does
    tickets = list(islice(iter_tickets(tickets=count), count))
    desk.store.put_tickets(tickets)
    bundle_id = desk.train(training=tiny_training(epochs=1))
    desk.store.put_codes(bundle_id, desk.encode(bundle_id, tickets))
    desk.promote(bundle_id)
    return [Query(ticket.subject, " ".join(ticket.description.split()[:12])) for ticket in tickets]


def encoded(desk: Desk, serving: str) -> str:
    """Another bundle, with codes of every ticket, that every process can have."""
    other = desk.bundle(other_bundle(desk, serving))
    desk.store.put_codes(other, desk.encode(other, list(desk.store.iter_tickets())))
    return other


def asked(desk: Desk, queries: list[Query], ended) -> list[float]:
    """Seconds that each search took until something is so."""
    times: list[float] = []
    began = time.monotonic()

    def ask(first: int) -> None:
        number = first
        while not ended(began):
            start = time.perf_counter()
            desk.recommend(queries[number % len(queries)])
            times.append(time.perf_counter() - start)
            number += PEOPLE

    people = [threading.Thread(target=ask, args=(first,)) for first in range(PEOPLE)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    return times


if __name__ == "__main__":
    main(arguments(__doc__, tickets=2000).tickets)
