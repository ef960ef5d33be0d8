"""Faults from a list that a seed gives: one every half minute, each over before the next."""

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tests.soak.ledger import Ledger
from tests.soak.servers import Node
from tests.soak.stage import WEBS, WORKERS, Stage, wait_until
from tests.soak.supervised import Supervised

EVERY = 30.0
"""Seconds from fault to fault."""

LASTS = 5.0, 20.0
"""Seconds that a fault with an end lasts."""

HOURS = 1, 48
"""How far a clock is set forward."""

FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
"""Of Debian's package faketime."""

DESK = (*WORKERS, *WEBS)

CUTS = "store", "broker", "node"
"""What a desk process may lose: the whole store, Redis, or one node."""

Drawn = TypeVar("Drawn")


@dataclass(frozen=True)
class Fault:
    """What is done to whom, and for how long; `how` says more of it."""

    kind: str
    victim: str
    seconds: float
    how: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.victim} {self.how}".rstrip() + f" for {self.seconds:.0f} s"


def possible_kinds(stage: Stage) -> list[str]:
    """Filling a disk needs root, setting a clock forward needs libfaketime."""
    return [
        "kill",
        "freeze",
        "cut",
        *(["disk"] if stage.disks else []),
        *(["clock"] if FAKETIME.exists() else []),
    ]


def drawn(stage: Stage, seed: int) -> Iterator[Fault]:
    """The faults of a seed, without end. Every kind comes before any comes again, and of each kind
    every victim, with every way of it."""
    chance = random.Random(seed)
    everyone = [(name, "") for name in sorted(stage.processes)]
    victims: dict[str, Iterator[tuple[str, str]]] = {
        "kill": _shuffled(everyone, chance),
        "freeze": _shuffled(everyone, chance),
        "cut": _shuffled([(name, how) for name in DESK for how in CUTS], chance),
        "disk": _shuffled([(name, "") for name in sorted(stage.disks)], chance),
        "clock": _shuffled([(name, "") for name in DESK], chance),
    }
    for kind in _shuffled(possible_kinds(stage), chance):
        victim, how = next(victims[kind])
        hours, seconds = chance.randint(*HOURS), chance.uniform(*LASTS)
        yield Fault(kind, victim, seconds, f"+{hours}h" if kind == "clock" else how)


def _shuffled(what: Sequence[Drawn], chance: random.Random) -> Iterator[Drawn]:
    """All of it in some order, then all of it in another one, without end."""
    while what:
        yield from chance.sample(what, len(what))


@dataclass(frozen=True)
class Met:
    """A fault that was, and how long after its end all was well; None if not before the next."""

    fault: Fault
    well_after: float | None


class Chaos:
    """A thread that does a fault every half minute until the block ends."""

    def __init__(self, stage: Stage, seed: int, say: Callable[[str], None], ledger: Ledger):
        self.met: list[Met] = []
        self._stage, self._say, self._ledger = stage, say, ledger
        self._faults = drawn(stage, seed)
        self._chance = random.Random(seed)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self.run)

    def __enter__(self) -> "Chaos":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def run(self) -> None:
        """What the thread does."""
        with self._ledger.watching("the faults"):
            while not self._stop.is_set():
                self._meet(next(self._faults))

    def _meet(self, fault: Fault) -> None:
        until = time.monotonic() + EVERY
        self._say(str(fault))
        end = self._begin(fault)
        self._stop.wait(fault.seconds)
        end()
        left = until - time.monotonic()
        well_after = wait_until(self._is_well, left)
        self.met.append(Met(fault, well_after))
        self._stop.wait(max(until - time.monotonic(), 0))

    def _is_well(self) -> bool:
        return self._stage.pages_answer() and self._stage.cluster_is_whole()

    def _begin(self, fault: Fault) -> Callable[[], object]:
        """Do it; gives what ends it."""
        process = self._stage.processes[fault.victim]
        if fault.kind == "kill":
            process.kill(self._chance)
            return lambda: None
        if fault.kind == "freeze":
            process.freeze()
            return process.thaw
        if fault.kind == "disk":
            return self._fill(fault.victim, process)
        assert isinstance(process, Supervised)
        if fault.kind == "clock":
            ahead = {"LD_PRELOAD": str(FAKETIME), "FAKETIME": fault.how, "DONT_FAKE_MONOTONIC": "1"}
            process.restart(ahead)
            return lambda: process.restart({})
        return self._cut(fault)

    def _fill(self, victim: str, process: Supervised | Node) -> Callable[[], object]:
        disk = self._stage.disks[victim]
        disk.fill()

        def end() -> None:
            disk.empty()
            if isinstance(process, Node):
                self._stage.retry_shards()

        return end

    def _cut(self, fault: Fault) -> Callable[[], object]:
        links = self._stage.desk_links[fault.victim]
        cut = links["store"][:1] if fault.how == "node" else links[fault.how]
        self._stage.links.cut(cut)
        return lambda: self._stage.links.mend(cut)
