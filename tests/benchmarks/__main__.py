"""All goals of speed and room in one run: `TICKETING_HOME=… python -m tests.benchmarks [name …]`.

Each benchmark runs in a process of its own, one after the other, below the goal that it is held
against, with its peers; the machine should do nothing else meanwhile. Without names all are run,
which takes about two hours on two cores; `--list` tells them. Ends with 1 where one of them failed.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from tempfile import gettempdir

NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""An installed program has its bytecode, without which each start takes a second more."""

DESK = "on the archive of 16,170 tickets"


@dataclass(frozen=True)
class Goal:
    """What is to be reached, and the commands that measure it, as arguments of Python."""

    what: str
    commands: Sequence[str]


def benchmark(*each: str) -> list[str]:
    """The commands of benchmarks of this folder."""
    return [f"-m tests.benchmarks.{one}" for one in each]


GOALS = {
    "scan": Goal(
        "an exact scan of all channels: at most 1.5 passes over the codes on two threads, and four"
        " times as fast as FAISS's IndexFlat by L1",
        benchmark("scan 16000 200000"),
    ),
    "million": Goal(
        "the ten best of a million: 30 ms at the median, 60 at the 99th percentile, .999 of the"
        " exhaustive ten; the first answer after 1.5 s, 250 MB beside the mapped codes",
        benchmark("million 1000000", "million 1000000 --way mixed"),
    ),
    "encoding": Goal(
        "a query's own encoding: 2 ms; tickets: 3,000 a second a process, two at once 1.9 times",
        benchmark("encoding"),
    ),
    "processes": Goal(
        "two workers: 1.9 times one; two web processes, SQLite: 100 searches a second",
        benchmark("scaling 16000"),
    ),
    "answer": Goal(
        f"a whole answer {DESK}, SQLite: 8 ms",
        benchmark("query 203", "parts"),
    ),
    "evaluation": Goal(
        f"`ticketing evaluate` of 272 queries {DESK}: 20 s",
        ["-m ticketing evaluate --since 2013-01-01 --before 2014-01-01"],
    ),
    "elasticsearch": Goal(
        "an answer on Elasticsearch: 15 ms of a web process, 60 a second from both cores; a"
        " ticket's codes: 2,600 bytes, 1.2 ms of the server",
        benchmark("elasticsearch"),
    ),
    "bulk": Goal(
        "import and reindex a million: 10 minutes on two cores, memory flat",
        benchmark("bulk 1000000"),
    ),
    "topics": Goal(
        "DocNADE and LDA: no slower than they were", benchmark(f"topics {gettempdir()}/topics.svg")
    ),
    "training": Goal(
        "a training of 16,000, 200,000 and 1,000,000 tickets: 4, 20 and 60 minutes, memory flat",
        benchmark("training 16000", "training 200000", "training 1000000"),
    ),
    "load": Goal(
        "fifty people for ten minutes at a million tickets, and at 200,000 on servers, while all"
        " are reindexed: no error, no judgment lost",
        benchmark("load 1000000", "load 200000 --servers"),
    ),
}


def main() -> None:
    """Run those that are named, and print what each took."""
    parser = argparse.ArgumentParser(description=__doc__, usage="%(prog)s [--list] [name …]")
    parser.add_argument("names", nargs="*", metavar="name")
    parser.add_argument("--list", action="store_true", help="print the goals, and run nothing")
    arguments = parser.parse_args()
    if unknown := {*arguments.names} - GOALS.keys():
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(GOALS)}")
    environment = {name: value for name, value in os.environ.items() if name != NO_BYTECODE}
    failed = False
    for name in arguments.names or GOALS:
        print(f"\n== {name}: {GOALS[name].what}", flush=True)
        for command in () if arguments.list else GOALS[name].commands:
            print(f"\n$ python {command}", flush=True)
            began = time.monotonic()
            ended = subprocess.run([sys.executable, *command.split()], env=environment).returncode
            failed |= ended != 0
            print(f"took {time.monotonic() - began:.1f} s, ended with {ended}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
