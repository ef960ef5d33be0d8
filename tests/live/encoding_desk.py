"""Desks whose encoding takes as long as one wishes, and worker processes that work on them."""

import hashlib
import logging
import multiprocessing
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path

from celery import Celery

from ticketing.desk import Desk
from ticketing.desk.models import Models
from ticketing.people import Actor
from ticketing.settings import load_settings
from ticketing.stores import open_store
from ticketing.stores.blocks import CodeRow
from ticketing.tickets import Ticket
from worker.app import make_app
from worker.queues import QUEUE
from worker.supervisor import supervise
from worker.tasks import encode_batch
from worker.workplace import Workplace

ANN = Actor("ann", "127.0.0.1")
BUNDLE = "bundle"
POISON = "poison"


class TimedDesk(Desk):
    """A real desk below its home; to encode a ticket takes so many seconds more."""

    def __init__(self, home: Path, seconds: float = 0.0):
        settings = load_settings(home=home, threads=1)
        store = open_store(settings)
        super().__init__(settings, store, Models(home / "models", store))
        self.seconds = seconds

    def encode(
        self, bundle_id: str, tickets: Sequence[Ticket], tokens: Mapping[str, str] | None = None
    ) -> list[CodeRow]:
        time.sleep(self.seconds * len(tickets))
        return super().encode(bundle_id, tickets)


class DigestDesk(TimedDesk):
    """Needs no bundle: codes are the digest of a ticket's id; a ticket of product `POISON` cannot
    be encoded."""

    def __init__(self, home: Path, seconds: float = 0.0):
        super().__init__(home, seconds)
        self.encoded: list[str] = []

    def encode(
        self, bundle_id: str, tickets: Sequence[Ticket], tokens: Mapping[str, str] | None = None
    ) -> list[CodeRow]:
        time.sleep(self.seconds * len(tickets))
        for ticket in tickets:
            if ticket.product == POISON:
                raise ValueError("no such word")
        self.encoded += [ticket.id for ticket in tickets]
        return [CodeRow(t.id, t.version, code_of(t)) for t in tickets]

    def bundle(self, bundle_id: str = "") -> str:
        return bundle_id or BUNDLE

    def compared(self, bundle_id: str) -> tuple[bool, str]:
        return True, ""

    def let_serve(self, bundle_id: str, why: str, record_id: str = "") -> str:
        self.store.set_serving(bundle_id)
        return f"Bundle {bundle_id} serves now{why}."


def code_of(ticket) -> bytes:
    return hashlib.sha256(ticket.id.encode()).digest()


def work(
    make_desk: Callable[[Path, float], Desk],
    home: Path,
    seconds: float,
    set_up: Callable[[Celery], None],
    queue: str,
    environment: dict[str, str],
    log: Path,
) -> None:
    """A worker; `seconds` is what encoding one ticket takes, `set_up(app)` may change it first.

    It is forked from a process that keeps the settings of the test which began it.
    """
    sys.stdout.flush()
    with log.open("ab", buffering=0) as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    for name in [name for name in os.environ if name.startswith("TICKETING_")]:
        del os.environ[name]
    os.environ.update(environment, OMP_NUM_THREADS="1")  # no fight for cores with other tests
    logging.basicConfig(level="WARNING", format="%(name)s %(levelname)s %(message)s")
    app = make_app(load_settings(home=home))
    set_up(app)
    sys.exit(supervise(app, Workplace(partial(make_desk, home, seconds)), [queue]))


def as_it_is(app: Celery) -> None:
    """Changes nothing."""


@contextmanager
def workers(home: Path, make_desk=DigestDesk) -> Iterator:
    """A function that starts a worker process; those that still run are killed at the end.

    They are forked from a process that has imported everything, which takes seconds.
    """
    os.environ.setdefault("PYTHONPATH", os.pathsep.join(sys.path))  # for the preload
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    started: list[BaseProcess] = []

    def start(seconds: float = 0.0, set_up=as_it_is, queue: str = QUEUE) -> BaseProcess:
        named = {name: x for name, x in os.environ.items() if name.startswith("TICKETING_")}
        log = home / f"worker{len(started)}.log"
        arguments = (make_desk, home, seconds, set_up, queue, named, log)
        started.append(context.Process(target=work, args=arguments))
        started[-1].start()
        return started[-1]

    try:
        yield start
    finally:
        for process in started:
            process.kill()
            process.join()


def wait_until(condition, seconds=120.0):
    """What the condition comes to, once that is true."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)
    return value


def finished(desk, job, seconds=120.0):
    """The job's record, once it has finished."""

    def now():
        record = desk.store.get_job(job.id)
        return record if record.finished else None

    return wait_until(now, seconds)


def kill_at_random(desk, start, times: int, seconds: float, chance: random.Random) -> None:
    """SIGKILL so many workers one after the other, each within a batch's time of its first."""
    for _ in range(times):
        before = desk.store.count_codes(BUNDLE)
        worker = start(seconds)
        wait_until(lambda: desk.store.count_codes(BUNDLE) > before)  # noqa: B023
        time.sleep(chance.random() * seconds * 128)
        worker.kill()
        worker.join()


def encode_at_once(desk, job_id: str, batch: list[str]) -> None:
    """Give two workers the same batch so that each encodes before either stores."""
    both_encode = threading.Barrier(2, timeout=30)
    encode = desk.encode

    def encode_together(bundle_id, tickets, tokens):
        both_encode.wait()
        return encode(bundle_id, tickets)

    desk.encode = encode_together
    arguments = (desk, job_id, BUNDLE, batch)
    both = [threading.Thread(target=encode_batch, args=arguments) for _ in range(2)]
    for worker in both:
        worker.start()
    for worker in both:
        worker.join()


def assert_each_is_stored_once(desk, tickets):
    """Every ticket has its own codes under the bundle, one row each."""
    block = desk.store.codes(BUNDLE)
    assert list(block.ids) == sorted(ticket.id for ticket in tickets)
    assert len(block.codes) == len(tickets), "a row was written twice"
    expected = {ticket.id: code_of(ticket) for ticket in tickets}
    assert {id: bytes(block.codes[row]) for id, row in zip(block.ids, block.live, strict=True)} == (
        expected
    )
