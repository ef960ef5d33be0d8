"""Where a training spends time: `TICKETING_HOME=… python -m tests.benchmarks.training [N [X]]`.

Trains on N tickets of that desk, evenly spread, in a folder that is gone afterwards, with the
settings X (`epochs=5`), without a teacher unless they name one (`teacher=installed`). Where the
desk has fewer they are repeated: each time another third of the words is changed, wherever it
stands. Prints the seconds of processor and of the clock that each phase took, those of phases
within it left out, and the most memory that the process had of its own. TICKETING_THREADS is
honoured.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any
from zlib import crc32

from tests.benchmarks.arguments import arguments
from tests.benchmarks.parts import Stopwatch, watched
from ticketing.desk import Desk, open_desk
from ticketing.desk.material import read_material, write_material
from ticketing.model.registry import Registry
from ticketing.model.settings import NetworkSettings
from ticketing.nn.trainer import Trainer
from ticketing.settings import load_settings
from ticketing.tickets import Ticket
from ticketing.training import learning, pretraining, train
from ticketing.training.settings import TrainingSettings
from ticketing.training.validation import ValidationSet


def main() -> None:
    """Print a line a phase, the longest first."""
    given = arguments(__doc__, tickets=0, settings=())
    settings = load_settings()
    desk = open_desk(settings)
    count = given.tickets or desk.store.count_tickets()
    changes: dict[str, Any] = dict(change.split("=") for change in given.settings)
    training = TrainingSettings(**{"teacher": "", **changes})
    processor, clock = Stopwatch(time.process_time), Stopwatch(time.perf_counter)
    with tempfile.TemporaryDirectory() as name, open(Path(name, "read"), "w+b") as file:
        write_material(file, some(desk, count), desk.training_labels())
        tickets, labels = read_material(file)
        folder = Path(name)
        with (
            memory() as most,
            watched(processor, PHASES),
            watched(clock, PHASES),
            processor.part("else"),
            clock.part("else"),
        ):
            models, checkpoints = Registry(folder / "models"), folder / "checkpoints"
            train.train(
                tickets,
                labels,
                NetworkSettings(),
                training,
                models,
                checkpoints,
                threads=settings.threads,
            )
    print(
        f"{len(tickets)} tickets, {settings.threads} threads; seconds of processor and of the clock"
    )
    for phase, seconds in processor.seconds.most_common():
        print(f"{seconds:8.1f} {clock.seconds[phase]:8.1f}  {phase}")
    print(f"{processor.seconds.total():8.1f} {clock.seconds.total():8.1f}  all")
    print(f"{most[0] / 1024:.0f} MB at first, {max(most) / 1024:.0f} MB at most")


@contextmanager
def memory() -> Iterator[list[int]]:
    """KB that the process has of its own, ten times a second: what it maps of files left out."""
    seen, over = [_own_memory()], Event()

    def look() -> None:
        while not over.wait(0.1):
            seen.append(_own_memory())

    looking = Thread(target=look, daemon=True)
    looking.start()
    yield seen
    over.set()
    looking.join()


def _own_memory() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1])
    return 0


PHASES: list[tuple[str, Any, str]] = [
    ("read texts", train, "read_corpus"),
    ("the teacher reads", train, "make_teacher"),
    ("word vectors, beside topics", train, "start_network"),
    ("topics", pretraining, "learn_topics"),
    ("cut examples", learning, "weak"),
    ("steps", Trainer, "step"),
    ("validation queries", ValidationSet, "quality"),
    ("lean on words and fit weights", train, "lean_on_words"),
    ("lean on words and fit weights", train, "fit_weights"),
    ("fit recency", train, "fit_recency"),
    ("code layout", train, "_finished"),
    ("calibration", train, "calibrate"),
]


def some(desk: Desk, count: int) -> Iterator[Ticket]:
    """So many tickets, evenly spread over the desk's; where those are fewer, repeated."""
    total = desk.store.count_tickets()
    copies = -(-count // total)
    chosen = {round(i * total * copies / count) for i in range(count)}
    for place, ticket in enumerate(t for _ in range(copies) for t in desk.store.iter_tickets()):
        if place in chosen:
            yield changed(ticket, place // total) if place >= total else ticket


def changed(ticket: Ticket, copy: int) -> Ticket:
    """A ticket of the copy with this number, from 1: a third of its words are others."""
    ending = chr(ord("a") + copy % 26) * (1 + copy // 26)

    def other(text: str) -> str:
        return " ".join(
            word if crc32(f"{copy} {word}".encode()) % 3 else word + ending for word in text.split()
        )

    return replace(
        ticket,
        id=f"{ticket.id}-{copy}",
        subject=other(ticket.subject),
        description=other(ticket.description),
        solution=other(ticket.solution),
    )


if __name__ == "__main__":
    main()
