"""What a second worker and a second web process bring, on this machine.

`TICKETING_HOME=… python -m tests.benchmarks.scaling [tickets]` takes tickets, repeated with changed
words where there are fewer, and the serving bundle of that home into a home of its own, which is
gone afterwards, encodes them with one worker and with two in turns, since a machine's speed changes
by the minute, then asks one web process and two over http. Each process computes in one thread. Few
tickets take less time than the start of a worker. Milliseconds of processor say what the work
costs, whatever else the machine does.
TICKETING_STORE and TICKETING_BROKER are honoured: with a server, indices
`ticketing_scaling_…` are made, and left.
"""

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.arguments import arguments
from tests.benchmarks.training import some
from ticketing.desk import Desk, open_desk
from ticketing.jobs import Job, JobState, Promotion
from ticketing.settings import load_settings
from ticketing.tickets import Query, Ticket
from worker.app import make_app
from worker.jobs import start_reindex

CLIENTS = 4
"""People who wait for an answer and ask again at once."""

LEAST_ASKED = 200
"""Tickets whose texts are asked, where there are as many."""

SEARCH_SECONDS = 10

ROUNDS = 5
"""How often one worker and two take turns."""


def main() -> None:
    """Print a line a measurement."""
    count = arguments(__doc__, tickets=6000).tickets
    source = open_desk(load_settings())
    bundle = source.recommender().model.id
    tickets = list(some(source, count))
    models = source.settings.home.resolve() / "models"
    os.environ.update(OMP_NUM_THREADS="1", OMP_WAIT_POLICY="PASSIVE", TICKETING_THREADS="1")
    os.environ["TICKETING_STORE_PREFIX"] = f"ticketing_scaling_{os.getpid()}"
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ["TICKETING_HOME"] = folder
        (home / "models").symlink_to(models)
        desk = open_desk(load_settings())
        desk.store.put_tickets(tickets)
        gains = [round_of_workers(desk, bundle) for _ in range(ROUNDS)]
        print(f"two workers, times one: median {statistics.median(gains):.2f}", flush=True)
        desk.promote(bundle)
        queries = asked_of(tickets)
        for number in (1, 2):
            taken, cost = search(queries, number)
            print(
                f"{number} web process{'es' * (number > 1)}: {len(taken) / SEARCH_SECONDS:.1f}"
                f" searches a second, each {1000 * cost:.1f} ms of processor, median"
                f" {1000 * statistics.median(taken):.0f} ms with {CLIENTS} asking at once",
                flush=True,
            )
        desk.close()


def asked_of(tickets: Sequence[Ticket]) -> list[Query]:
    """The texts of every ticket with a subject; of some, evenly spread, from 2 * LEAST_ASKED on."""
    some = tickets[:: max(len(tickets) // LEAST_ASKED, 1)]
    return [Query(ticket.subject, ticket.description) for ticket in some if ticket.subject]


def round_of_workers(desk: Desk, bundle: str) -> float:
    """Encode everything by one worker, then by two; how many times as many a second these do."""
    rates = []
    for number in (1, 2):
        rate, cost = encode(desk, bundle, number)
        rates.append(rate)
        print(
            f"{number} worker{'s' * (number > 1)}: {rate:.0f} tickets a second, each"
            f" {1000 * cost:.2f} ms of processor",
            flush=True,
        )
    return rates[1] / rates[0]


def encode(desk: Desk, bundle: str, workers: int) -> tuple[float, float]:
    """Encode everything anew, from a tenth on, when every worker is at it; times are those that the
    job's record keeps.

    Returns tickets a second, and seconds of processor a ticket.
    """
    desk.store.drop_codes(bundle)
    with processes("work", workers) as started:
        job = start_reindex(desk, make_app(desk.settings), bundle, Promotion.NEVER)
        while (first := job_now(desk, job.id)).done < job.total / 10:
            time.sleep(0.1)
        used = processor_seconds(started)
        while not (last := job_now(desk, job.id)).finished:
            time.sleep(0.1)
        encoded = last.done - first.done
        taken = (last.finished - first.heartbeat).total_seconds()
        return encoded / taken, (processor_seconds(started) - used) / encoded


def job_now(desk: Desk, job_id: str) -> Job:
    """A job's record. Exits where it has ended and not all of it is done."""
    job = desk.whole.get_job(job_id)
    if job.finished and (job.state != JobState.DONE or job.done != job.total):
        raise SystemExit(f"The job ended as {job.state}: {job.message}.")
    return job


def search(queries: list[Query], number: int) -> tuple[list[float], float]:
    """Seconds of each search, and seconds of processor a search."""
    with processes("serve", number) as started:
        addresses = [process.stdout.readline().split()[2] for process in started]
        for address in addresses:
            one_search(address, queries[0])
        used = processor_seconds(started)
        taken = ask(addresses, queries)
        return taken, (processor_seconds(started) - used) / len(taken)


@contextmanager
def processes(command: str, number: int) -> Iterator[list[subprocess.Popen]]:
    """So many processes of a command, ended with the block."""
    program = [sys.executable, "-m", "ticketing", command]
    environment = {**os.environ, "TICKETING_PORT": "0"}
    started = [
        subprocess.Popen(program, stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(number)
    ]
    try:
        yield started
    finally:
        for process in started:
            process.terminate()
            process.wait()


def processor_seconds(started: list[subprocess.Popen]) -> float:
    """What the processes, and those that they have started, have computed since they began."""
    ticks = 0
    for pid in (pid for process in started for pid in family(process.pid)):
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def family(pid: int) -> list[int]:
    """A process and all below it: a worker is several."""
    found = [pid]
    for one in found:
        for children in Path(f"/proc/{one}/task").glob("*/children"):
            found += map(int, children.read_text().split())
    return found


def ask(addresses: list[str], queries: list[Query]) -> list[float]:
    """Seconds of every answer that clients got in SEARCH_SECONDS."""
    taken, end = [], time.monotonic() + SEARCH_SECONDS
    turns = itertools.cycle(itertools.product(queries, addresses))

    def client() -> None:
        while time.monotonic() < end:
            query, address = next(turns)
            began = time.monotonic()
            one_search(address, query)
            taken.append(time.monotonic() - began)

    clients = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    return taken


def one_search(address: str, query: Query) -> None:
    """Ask through the JSON API, and read the answer."""
    body = json.dumps({"subject": query.subject, "description": query.description}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}api/recommend", body, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        answer.read()


if __name__ == "__main__":
    main()
