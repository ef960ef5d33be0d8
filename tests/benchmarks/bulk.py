"""Import and reindex by size: `TICKETING_HOME=… python -m tests.benchmarks.bulk [tickets] …`.

For each number of tickets a file is made of that home's tickets, over and over, three in ten of
their words changed for another one's. One process imports it, another encodes all of it under the
home's serving bundle as a worker does, batch by batch. Printed: tickets a second, by the clock and
by the processor, and the most memory that the process has held.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from ticketing.desk import Desk, open_desk
from ticketing.importing import Mapping, import_sources, open_source
from ticketing.jobs import JobKind, Promotion
from ticketing.settings import load_settings
from ticketing.tickets import Ticket
from worker.jobs import BATCH
from worker.tasks import do_batch

SIZES = (20_000, 100_000)
CHANGED = 0.3


def main(sizes: list[int]) -> None:
    """Print a line a size and step."""
    source = open_desk(load_settings())
    bundle, models = source.whole.serving(), source.settings.home.resolve() / "models"
    tickets = list(source.whole.iter_tickets())
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="ticketing-bulk-") as home:
            (Path(home) / "models").symlink_to(models)
            file = Path(home, "tickets.jsonl")
            with file.open("w") as written:
                for ticket in islice(generated(tickets), size):
                    written.write(json.dumps(ticket) + "\n")
            for step in ("import", "reindex"):
                environment = {**os.environ, "TICKETING_HOME": home, "TICKETING_THREADS": "1"}
                command = [sys.executable, "-m", "tests.benchmarks.bulk", step, bundle, str(file)]
                subprocess.run(command, env=environment, check=True)


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


def step(name: str, bundle: str, file: Path) -> None:
    """Do one step in this process, and print what it cost."""
    desk = open_desk(load_settings())
    began, used = time.monotonic(), time.process_time()
    if name == "import":
        import_sources([open_source(file, Mapping())], desk.put_tickets)
    else:
        reindex(desk, bundle)
    count = desk.whole.count_tickets()
    took, used = time.monotonic() - began, time.process_time() - used
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name:8} {count:9,} tickets: {count / took:6.0f} a second, {count / used:6.0f} a second"
        f" of processor, {most:5.0f} MB",
        flush=True,
    )


def reindex(desk: Desk, bundle: str) -> None:
    """Encode every ticket, with all that a worker does around it but the broker's messages."""
    arguments = {"promotion": Promotion.NEVER}
    total = desk.whole.count_tickets()
    job = desk.whole.create_job(JobKind.REINDEX, bundle, total, arguments)
    after = ""
    while page := desk.whole.stale_ids(bundle, 100 * BATCH, after):
        for start in range(0, len(page), BATCH):
            do_batch(desk, None, job.id, bundle, page[start : start + BATCH])
        after = page[-1]


if __name__ == "__main__":
    if sys.argv[1:2] in (["import"], ["reindex"]):
        step(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
    else:
        main([int(size) for size in sys.argv[1:]] or list(SIZES))
