"""How long writes wait while indices are resized: `python -m tests.benchmarks.resizing [tickets]`.

Starts a server of its own, fills it with tickets of drawn words and codes of drawn bytes as wide as
real ones, and resizes its indices three times while another thread puts one ticket after the other
with its codes, each until it is acknowledged. A split, a copy into more shards and one into fewer.
"""

import threading
import time
from contextlib import closing

import numpy as np

from tests.benchmarks.arguments import arguments
from tests.servers import elasticsearch_server
from ticketing.errors import StoreAway
from ticketing.settings import load_settings
from ticketing.stores import open_store
from ticketing.stores.blocks import CodeRow
from ticketing.stores.elasticsearch.resizing import resize
from ticketing.stores.protocols import Store
from ticketing.tickets import Ticket

WIDTH, DIMS, WORDS, VOCABULARY = 1796, 384, 60, 20_000
AT_ONCE = 500
AGAIN_SECONDS = 0.05


def main() -> None:
    """Print a line an index, and how long the slowest ticket took of those put meanwhile."""
    count = arguments(__doc__, tickets=16_000).tickets
    with elasticsearch_server() as server:
        settings = load_settings(store=server.url, store_prefix="resized")
        with closing(open_store(settings)) as store:
            drawn = _Drawn()
            for start in range(0, count, AT_ONCE):
                _put(store, *drawn.some(min(AT_ONCE, count - start)))
            for shards in (2, 3, 1):
                with _Writer(store, drawn) as writer:
                    began = time.monotonic()
                    for done in resize(store.connection, shards):
                        now = time.monotonic()
                        print(
                            f"{done.alias:18}{done.before} → {done.after} shards,"
                            f" {done.documents:,} documents: {now - began:6.1f} s,"
                            f" writes waited {done.refused:5.1f} s",
                            flush=True,
                        )
                        began = now
                print(
                    f"{'':18}{len(writer.seconds)} tickets put meanwhile, half of them within"
                    f" {np.median(writer.seconds):.2f} s, the slowest within"
                    f" {max(writer.seconds):.1f} s",
                    flush=True,
                )


class _Drawn:
    """Tickets and codes, each other than all before."""

    def __init__(self) -> None:
        self._rng, self._count = np.random.default_rng(0), 0

    def some(self, count: int) -> tuple[list[Ticket], list[CodeRow]]:
        tickets, rows = [], []
        for number in range(self._count, self._count + count):
            words = self._rng.zipf(1.3, WORDS) % VOCABULARY
            ticket = Ticket(f"{number:09}", " ".join(f"w{word}" for word in words))
            code, vector = self._rng.bytes(WIDTH), self._rng.bytes(DIMS)
            tickets.append(ticket)
            rows.append(CodeRow(ticket.id, ticket.version, code, None, vector))
        self._count += count
        return tickets, rows


class _Writer:
    """A thread that puts a ticket after the other; `seconds` that each took."""

    def __init__(self, store: Store, drawn: _Drawn):
        self.seconds: list[float] = []
        self._store, self._drawn, self._ended = store, drawn, threading.Event()
        self._thread = threading.Thread(target=self._write)

    def __enter__(self) -> "_Writer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _write(self) -> None:
        while not self._ended.is_set():
            some, began = self._drawn.some(1), time.monotonic()
            while True:
                try:
                    _put(self._store, *some)
                    break
                except StoreAway:
                    time.sleep(AGAIN_SECONDS)
            self.seconds.append(time.monotonic() - began)


def _put(store: Store, tickets: list[Ticket], rows: list[CodeRow]) -> None:
    store.put_tickets(tickets)
    store.put_codes("drawn", rows)


if __name__ == "__main__":
    main()
