"""Import and reindex: `TICKETING_HOME=… python -m tests.benchmarks.bulk [tickets [bundle]]`.

A file is made of that home's tickets, over and over, three in ten of their words changed for
another one's. One process imports it, another encodes all of it under a bundle of the home (the
serving one) as a worker does, batch by batch. Printed at each tenth of the way: seconds of
processor so far, and the tickets of that tenth a second of them and by the clock; the process's own
memory, and with its share of files mapped.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path

from ticketing.desk import Desk, open_desk
from ticketing.importing import Mapping, import_sources, open_source
from ticketing.jobs import JobKind, Promotion
from ticketing.settings import load_settings
from ticketing.stores.protocols import PutCounts
from ticketing.tickets import Ticket
from worker.jobs import BATCH
from worker.tasks import do_batch

TICKETS = 100_000
LINES = 10
CHANGED = 0.3


def main(size: int, bundle: str = "") -> None:
    """Print a line a tenth of each step."""
    source = open_desk(load_settings())
    bundle = bundle or source.whole.serving()
    tickets = list(source.whole.iter_tickets())
    with tempfile.TemporaryDirectory(prefix="ticketing-bulk-") as home:
        (Path(home) / "models").symlink_to(source.settings.home.resolve() / "models")
        file = Path(home, "tickets.jsonl")
        with file.open("w") as written:
            for ticket in islice(generated(tickets), size):
                written.write(json.dumps(ticket) + "\n")
        for name in ("import", "reindex"):
            environment = {**os.environ, "TICKETING_HOME": home, "TICKETING_THREADS": "1"}
            command = [sys.executable, "-m", "tests.benchmarks.bulk", name, bundle, str(file)]
            subprocess.run([*command, str(size)], env=environment, check=True)


def generated(tickets: list[Ticket]) -> Iterator[dict[str, str]]:
    """Tickets without end, of which no two are alike."""
    chance = random.Random(0)
    for number, ticket in enumerate(cycle(tickets)):
        other = chance.choice(tickets).text.split() or ["word"]
        row = {"id": f"G-{number:08}", "created": str(ticket.created or "")}
        for field in ("subject", "description", "solution"):
            words = getattr(ticket, field).split(" ")
            changed = (chance.choice(other) if chance.random() < CHANGED else w for w in words)
            row[field] = " ".join(changed) if words != [""] else ""
        yield row


class Progress:
    """Prints what each tenth of a step has cost."""

    def __init__(self, name: str, size: int):
        self.name, self.size, self.done = name, size, 0
        self.last = (0, time.monotonic(), time.process_time())

    def add(self, tickets: int) -> None:
        """So many more are done."""
        self.done += tickets
        done, clock, processor = self.last
        if self.done < self.size and (self.done - done) * LINES < self.size:
            return
        now = (self.done, time.monotonic(), time.process_time())
        own, mapped = memory()
        print(
            f"{self.name:8} {self.done:9,} tickets, {now[2]:6.0f} s of processor:"
            f" {(self.done - done) / (now[2] - processor):6.0f} a second of processor,"
            f" {(self.done - done) / (now[1] - clock):6.0f} by the clock,"
            f" {own:4.0f} MB, {mapped:4.0f} with files",
            flush=True,
        )
        self.last = now


def memory() -> tuple[float, float]:
    """MB of this process that no file holds, and all with its share of files (PSS)."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]
    sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines}
    return sizes["Pss_Anon"], sizes["Pss"]


def step(name: str, bundle: str, file: Path, size: int) -> None:
    """Do one step in this process."""
    desk, progress = open_desk(load_settings()), Progress(name, size)
    if name == "import":

        def put(tickets: Sequence[Ticket]) -> PutCounts:
            counts = desk.put_tickets(tickets)
            progress.add(len(tickets))
            return counts

        import_sources([open_source(file, Mapping())], put)
    else:
        reindex(desk, bundle, progress)


def reindex(desk: Desk, bundle: str, progress: Progress) -> None:
    """Encode every ticket, with all that a worker does around it but the broker's messages."""
    arguments = {"promotion": Promotion.NEVER}
    total = desk.whole.count_tickets()
    job = desk.whole.create_job(JobKind.REINDEX, bundle, total, arguments)
    after = ""
    while page := desk.whole.stale_ids(bundle, 100 * BATCH, after):
        for start in range(0, len(page), BATCH):
            batch = page[start : start + BATCH]
            do_batch(desk, None, job.id, bundle, batch)
            progress.add(len(batch))
        after = page[-1]


if __name__ == "__main__":
    if sys.argv[1:2] in (["import"], ["reindex"]):
        step(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else TICKETS, *sys.argv[2:3])
