"""Time of encoding: `TICKETING_HOME=… python -m tests.benchmarks.encoding [tickets]`.

Encodes tickets of the desk, evenly spread, and asks their texts, as what serves does it and as the
network in torch does, which is what all processes did before: in one run, on one thread each.
Then it encodes them in one and in two processes at once, the whole of a worker's batch (texts,
codes, topics, the vector for an index). Last it says how many bytes of codes the two do not share.
"""

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from ticketing.desk import Desk, open_desk
from ticketing.desk.bundles import BATCH
from ticketing.encoders.words import Words
from ticketing.model.inference import Encoded, Model
from ticketing.networks.making import network_of
from ticketing.networks.spelling import spell_padded
from ticketing.settings import load_settings
from ticketing.tickets import Query, Ticket


class TorchModel(Model):
    """The same model, whose components the network in torch encodes."""

    def __init__(self, model: Model):
        vars(self).update(vars(model))
        self.network = network_of(model)
        self.table = torch.from_numpy(self.words.table)

    @torch.inference_mode()
    def encode_ids(self, items, unknown=()) -> Encoded:
        """See Model."""
        words: Words = self.words

        def embed(distinct):
            known = distinct[distinct < len(self.vocabulary)]
            embedded, weights = self.table[known], self.network.word_weights[known]
            if not len(unknown):
                return embedded, weights
            spelled = self.network.words.characters(*spell_padded(unknown))
            blank = spelled.new_zeros(len(spelled), self.settings.word_dims)
            rarest = weights.new_full((len(spelled),), words.rarest)
            return (
                torch.cat([embedded, torch.cat([blank, spelled], 1)]),
                torch.cat([weights, rarest]),
            )

        encoded = self.network.encode(items, embed, unknown)
        vectors = {channel: vector.numpy() for channel, vector in encoded.vectors.items()}
        return Encoded(vectors, encoded.present.numpy())


def main() -> None:
    """Print queries' times, tickets a second, and the bytes that differ."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    torch.set_num_threads(1)
    threadpool_limits(1)
    desk = open_desk(load_settings())
    model = desk.recommender().model
    tickets = spread(desk, count)
    peers = {"compiled": model, "torch": TorchModel(model)}
    print(f"{len(tickets)} tickets; a query is the subject and description of one")
    for name, peer in peers.items():
        peer.encode_query(Query("warm up"))
        taken = [seconds(peer.encode_query, Query(t.subject, t.description)) for t in tickets[:300]]
        median, last = np.quantile(taken, [0.5, 0.99]) * 1000
        print(f"{name:9} a query {median:6.2f} ms at the median, {last:6.2f} at the 99th percentile")
    rows = {}
    for name, peer in peers.items():
        start = time.perf_counter()
        rows[name] = peer.encode_tickets(tickets)
        took = time.perf_counter() - start
        print(f"{name:9} {len(tickets) / took:6.0f} tickets a second, codes alone")
    apart = abs(rows["compiled"].astype(int) - rows["torch"])
    print(f"{np.count_nonzero(apart)} of {apart.size} bytes differ, by {apart.max()} at most")
    for processes in (1, 2):
        print(f"{processes} process(es): {by_workers(processes, count):6.0f} tickets a second, whole")


def spread(desk: Desk, count: int) -> list[Ticket]:
    """Tickets evenly spread over the desk's."""
    ids = list(desk.store.ticket_ids()) if hasattr(desk.store, "ticket_ids") else None
    found = list(desk.store.iter_tickets()) if ids is None else []
    return found[:: max(len(found) // count, 1)][:count]


def seconds(work, *arguments) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def by_workers(processes: int, count: int) -> float:
    """Tickets a second of so many processes at once, each with its part of the tickets."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        barrier = time.time() + 15
        jobs = [pool.submit(encode_part, part, processes, count, barrier) for part in range(processes)]
        spans = [job.result() for job in jobs]
    return count / (max(end for _, end in spans) - barrier)


def encode_part(part: int, parts: int, count: int, begin: float) -> tuple[float, float]:
    """Encode every so manieth batch as a worker does, from a moment on: when it began and ended."""
    threadpool_limits(1)
    desk = open_desk(load_settings())
    tickets = spread(desk, count)[part::parts]
    desk.encode(desk.store.serving(), tickets[:1])
    time.sleep(max(begin - time.time(), 0))
    for start in range(0, len(tickets), BATCH):
        desk.encode(desk.store.serving(), tickets[start : start + BATCH])
    return begin, time.time()


if __name__ == "__main__":
    main()
