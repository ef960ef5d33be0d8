"""What a ticket and a search cost with Elasticsearch: `TICKETING_HOME=… python -m
tests.benchmarks.elasticsearch [tickets] [seconds]`.

Starts a server of its own, which is warmed by the same work first, puts the tickets of that home
and their codes under its serving bundle, in the batches of an import and of a worker, and asks
whole answers to the tickets' own texts: first one after the other, before a process holds all codes
and once it does, then for so many seconds from two processes at once, which hold them. Server and
client share this machine. Milliseconds of processor say what the work costs, whatever else it does.
"""

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from multiprocessing.synchronize import Barrier
from unittest.mock import patch

import elastic_transport
import numpy as np
from elasticsearch import Elasticsearch
from threadpoolctl import threadpool_limits

from tests.benchmarks.arguments import arguments
from tests.servers import elasticsearch_server
from ticketing.desk import Desk, open_desk
from ticketing.settings import Settings, load_settings
from ticketing.stores.blocks import CodeRow
from ticketing.tickets import Query, Ticket

IMPORTED, ENCODED = 500, 128
"""Tickets that an import, and a worker, writes at once."""

PROCESSES = 2

_desk: Desk
_both: Barrier


def main() -> None:
    """Print a line a measurement."""
    given = arguments(__doc__, tickets=16_000, seconds=10.0)
    count, seconds = given.tickets, given.seconds
    threadpool_limits(1)  # as where the desk is served
    home = open_desk(load_settings(store="", threads=1))
    tickets = list(islice(home.store.iter_tickets(), count))
    bundle_id = home.store.serving()
    rows = _rows(home, bundle_id, tickets)
    with elasticsearch_server() as server, Elasticsearch(server.url) as client:
        warm = open_desk(load_settings(store=server.url, store_prefix="warm", threads=1))
        for some in _batches(tickets, IMPORTED):
            warm.store.put_tickets(some)
        for batch in _batches(rows, ENCODED):
            warm.store.put_codes(bundle_id, batch)
        warm.close()
        settings = load_settings(store=server.url, store_prefix="measured", threads=1)
        desk = open_desk(settings)
        measure = _Measure(client)
        with measure("put a ticket", len(tickets)):
            for some in _batches(tickets, IMPORTED):
                desk.store.put_tickets(some)
        with measure("store a ticket's codes", len(tickets)):
            for batch in _batches(rows, ENCODED):
                desk.store.put_codes(bundle_id, batch)
        desk.store.set_serving(bundle_id)
        _sizes(client, desk, bundle_id, rows[-1])
        step = max(len(tickets) // 200, 1)
        queries = [Query(t.subject, t.description) for t in tickets[::step] if t.subject]
        with patch.object(desk.store.mirrors, "held", return_value=None):
            desk.recommend(queries[0])
            _answered(desk, queries[1::2], measure, "answer, by candidates")
        _hold(desk)
        _answered(desk, queries[2::2], measure, "answer, all codes held")
        desk.close()
        both = multiprocessing.Barrier(PROCESSES + 1)
        with multiprocessing.Pool(PROCESSES, _open, (settings, both)) as pool:
            asked = [(queries, seconds, seed) for seed in range(PROCESSES)]
            asking = pool.starmap_async(_ask, asked, chunksize=1)
            both.wait()
            with measure("answer, two processes", 0) as done:
                for answers, spent in asking.get():
                    done.count += answers
                    done.client += spent
        print(f"{'':28}{done.count / seconds:8.1f} a second")


class _Measure:
    """Prints what a block costs for each of its things."""

    def __init__(self, client: Elasticsearch):
        self._client = client
        self.count, self.client = 0, 0.0

    @contextmanager
    def __call__(self, name: str, count: int) -> Iterator["_Measure"]:
        self.count, self.client = count, 0.0
        server, client, began = self._server(), time.process_time(), time.monotonic()
        yield self
        taken = time.monotonic() - began
        self.client += time.process_time() - client
        spent = self._server() - server
        print(
            f"{name:28}{1000 * self.client / self.count:8.2f} ms of the client's processor,"
            f" {1000 * spent / self.count:6.2f} ms of the server's,"
            f" {1000 * taken / self.count:6.2f} ms in all",
            flush=True,
        )

    def _server(self) -> float:
        """Seconds of processor that the server has used."""
        nodes = self._client.nodes.stats(metric="process")["nodes"].values()
        return sum(node["process"]["cpu"]["total_in_millis"] for node in nodes) / 1000


def _rows(home: Desk, bundle_id: str, tickets: Sequence[Ticket]) -> list[CodeRow]:
    """The tickets' codes, as a worker makes them."""
    model = home.recommender(bundle_id).model
    rows = []
    for some in _batches(tickets, ENCODED):
        codes = model.encode_tickets(some)
        vectors = model.projection.ticket_vectors(codes)
        for ticket, code, vector in zip(some, codes, vectors, strict=True):
            rows.append(CodeRow(ticket.id, ticket.version, code.tobytes(), None, vector.tobytes()))
    return rows


def _sizes(client: Elasticsearch, desk: Desk, bundle_id: str, last: CodeRow) -> None:
    """Print the bytes a ticket of each index, as written and once its segments were merged.

    What a replica may have missed is kept with every document until then.
    """
    count = desk.store.count_tickets()
    for name in ("tickets", f"codes-{bundle_id}"):
        index = desk.store.connection.alias(name)
        client.indices.flush(index=index)
        written = _bytes(client, index) / count
        _until_kept_for_nobody(client, index)
        for _ in range(2):  # a commit counts once the next one is made
            desk.store.forget_codes(bundle_id, [last.ticket_id])
            desk.store.put_codes(bundle_id, [last])
            client.indices.flush(index=index, force=True)
            _until_kept_for_nobody(client, index)
        client.options(request_timeout=600).indices.forcemerge(index=index, max_num_segments=1)
        client.indices.flush(index=index, force=True)
        client.indices.refresh(index=index)
        fields = client.indices.disk_usage(index=index, run_expensive_tasks=True).body
        [usage] = [of for of in fields.values() if "fields" in of]
        largest = sorted(usage["fields"].items(), key=lambda kv: -kv[1]["total_in_bytes"])[:8]
        parts = ", ".join(f"{name} {of['total_in_bytes'] / count:.0f}" for name, of in largest)
        print(
            f"{name.partition('-')[0]:28}{_bytes(client, index) / count:8.0f} bytes a ticket"
            f" ({written:.0f} as written): {parts}",
            flush=True,
        )


def _until_kept_for_nobody(client: Elasticsearch, index: str) -> None:
    """Wait until no copy of what was written is kept for a replica that may have missed it."""
    end = time.monotonic() + 90
    while time.monotonic() < end:
        [stats] = client.indices.stats(index=index, level="shards")["indices"].values()
        [[shard]] = stats["shards"].values()
        leases = [lease["retaining_seq_no"] for lease in shard["retention_leases"]["leases"]]
        if min(leases) > shard["seq_no"]["max_seq_no"]:
            return
        time.sleep(1)


def _bytes(client: Elasticsearch, index: str) -> int:
    stats = client.indices.stats(index=index, metric="store")
    size: int = stats["_all"]["primaries"]["store"]["size_in_bytes"]
    return size


@contextmanager
def _counted() -> Iterator[list[int]]:
    """How many requests are sent in the block."""
    count, send = [0], elastic_transport.Transport.perform_request

    def counting(*args, **kwargs):
        count[0] += 1
        return send(*args, **kwargs)

    with patch.object(elastic_transport.Transport, "perform_request", counting):
        yield count


def _answered(desk: Desk, queries: Sequence[Query], measure: "_Measure", name: str) -> None:
    """Measure one answer after the other, and print how many requests each takes."""
    with measure(name, len(queries)), _counted() as requests:
        for query in queries:
            desk.recommend(query)
    print(f"{'':28}{requests[0] / len(queries):8.1f} requests")


def _hold(desk: Desk) -> None:
    """Ask until the process holds the codes of all tickets."""
    while desk.store.serving() not in desk.store.mirrors:
        desk.recommend(Query("pump"))
        time.sleep(0.1)


def _open(settings: Settings, both: Barrier) -> None:
    """Open the desk of a process that asks, which begins when all do."""
    global _desk, _both
    _desk, _both = open_desk(settings), both
    _hold(_desk)


def _ask(queries: Sequence[Query], seconds: float, seed: int) -> tuple[int, float]:
    """Answers that one process gets in so many seconds, and its seconds of processor."""
    desk = _desk
    order = np.random.default_rng(seed).permutation(len(queries))
    _both.wait()
    began, end, answers = time.process_time(), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        query = queries[order[answers % len(order)]]
        answers += 1
        desk.recommend(Query(query.subject, f"{query.description} {seed}-{answers}"))  # a new one
    return answers, time.process_time() - began


def _batches(things: Sequence, size: int) -> Iterator[Sequence]:
    return (things[start : start + size] for start in range(0, len(things), size))


if __name__ == "__main__":
    main()
