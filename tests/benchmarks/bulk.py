"""Import and reindex as a desk does them: `TICKETING_HOME=… python -m tests.benchmarks.bulk`.

A file is made of that home's tickets, over and over, three in ten of their words changed for
another one's, as many as `tickets` says. `ticketing import` reads it into a home of its own, which
is gone afterwards; then so many processes `ticketing work` encode all of it under a bundle of the
first home (the serving one). Printed at each tenth of the way of either: tickets a second by the
clock and of processor, and the memory of all its processes that no file holds. Last the minutes.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path

from tests.benchmarks.copies import reworded
from tests.benchmarks.scaling import family, job_now, processes, processor_seconds
from ticketing.desk import Desk, open_desk
from ticketing.jobs import Promotion
from ticketing.settings import load_settings
from ticketing.tickets import Ticket
from worker.app import make_app
from worker.jobs import start_reindex

LINES = 10
LOOK_SECONDS = 0.5
"""How often what is done is asked for, which takes a moment of the processor itself."""


def main() -> None:
    """Print a line a tenth of each step, then how long each took."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tickets", type=int, nargs="?", default=100_000)
    parser.add_argument("--bundle", default="")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    with closing(open_desk(load_settings())) as source:
        bundle = given.bundle or source.whole.serving()
        models = source.settings.home.resolve() / "models"
        tickets = list(source.whole.iter_tickets())
    with tempfile.TemporaryDirectory(prefix="ticketing-bulk-") as home:
        (Path(home) / "models").symlink_to(models)
        os.environ.update(TICKETING_HOME=home, TICKETING_THREADS="1", OMP_NUM_THREADS="1")
        file = Path(home, "tickets.jsonl")
        with file.open("w") as written:
            for ticket in islice(generated(tickets), given.tickets):
                written.write(json.dumps(ticket) + "\n")
        with closing(open_desk(load_settings())) as desk:
            taken = import_file(desk, file, given.tickets)
            taken += reindex(desk, bundle, given.workers)
    print(f"{given.tickets:,} tickets in {taken / 60:.1f} minutes")


def generated(tickets: list[Ticket]) -> Iterator[dict[str, str]]:
    """Tickets without end, of which no two are alike."""
    chance = random.Random(0)
    for number, ticket in enumerate(cycle(tickets)):
        other = chance.choice(tickets).text.split() or ["word"]
        row = {"id": f"G-{number:08}", "created": str(ticket.created or "")}
        for field in ("subject", "description", "solution"):
            row[field] = reworded(getattr(ticket, field), other, chance)
        yield row


def import_file(desk: Desk, file: Path, size: int) -> float:
    """Import by one process, as people do; returns the seconds that it takes."""
    command = [sys.executable, "-m", "ticketing", "import", str(file)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        taken = watch(
            "import",
            [process],
            size,
            lambda: (desk.whole.count_tickets(), process.poll() is not None),
        )
    if process.returncode:
        raise SystemExit(f"The import ended with {process.returncode}.")
    return taken


def reindex(desk: Desk, bundle: str, workers: int) -> float:
    """Encode all by so many workers; returns the seconds that it takes."""
    with processes("work", workers) as started:
        job = start_reindex(desk, make_app(desk.settings), bundle, Promotion.NEVER)

        def done() -> tuple[int, bool]:
            now = job_now(desk, job.id)
            return now.done, bool(now.finished)

        return watch("reindex", started, job.total, done)


def watch(
    name: str,
    started: list[subprocess.Popen],
    size: int,
    done: Callable[[], tuple[int, bool]],
) -> float:
    """Print what each tenth costs until all is done; returns the seconds until then."""
    began = clock = time.monotonic()
    before, used, processor, own, most = 0, 0.0, 0.0, 0.0, 0.0
    while True:
        number, ended = done()
        now = time.monotonic()
        if not ended:  # a process that has ended says no more
            processor, own = processor_seconds(started), memory(started)
        if (number - before) * LINES >= size and processor > used:
            print(
                f"{name:8} {number:9,} tickets, {(now - began) / 60:5.1f} minutes:"
                f" {(number - before) / (now - clock):6.0f} a second by the clock,"
                f" {(number - before) / (processor - used):6.0f} of processor, {own:5.0f} MB",
                flush=True,
            )
            before, used, clock = number, processor, now
        most = max(most, own)
        if ended:
            seconds = now - began
            print(
                f"{name:8} {number:9,} tickets in {seconds / 60:.1f} minutes,"
                f" {number / seconds:.0f} a second by the clock, {number / processor:.0f} of"
                f" processor, {most:.0f} MB at most"
            )
            return seconds
        time.sleep(LOOK_SECONDS)


def memory(started: list[subprocess.Popen]) -> float:
    """MB of the processes, and of those that they have started, that no file holds."""
    return sum(
        own_memory(Path(f"/proc/{pid}/smaps_rollup"))
        for process in started
        for pid in family(process.pid)
    )


def own_memory(path: Path) -> float:
    """MB that no file holds, by what the system says of a process; 0 of one that has ended."""
    try:
        lines = path.read_text().splitlines()[1:]
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss_Anon:"))


if __name__ == "__main__":
    main()
