"""`ticketing work`: a process for each queue, the watch and the beat, kept alive by this one.

It opens no store and loads no model, so that what it forks starts clean, and its memory is small.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess

from celery import Celery
from celery.platforms import set_pdeathsig  # type: ignore[attr-defined]  # no stub

from worker.beat import run_beat
from worker.queues import QUEUES
from worker.run import run_worker
from worker.watch import run_watch
from worker.workplace import Workplace

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
"""How often the processes are looked after."""

GRACE_SECONDS = 10
"""How long a batch may take to end once nobody feeds the worker any more."""


def supervise(
    app: Celery,
    place: Workplace,
    queues: Sequence[str] = QUEUES,
    log_level: str = "WARNING",
    events: bool = False,
) -> int:
    """Work on the queues until Ctrl-C or SIGTERM, which let current batches end and are no failure.

    Returns the exit code. A broker or a store that is away is waited for.
    """
    roles: dict[str, Callable[[], int]] = {
        queue: partial(run_worker, app, queue, place, log_level, events) for queue in queues
    }
    roles["watch"] = partial(run_watch, app, place)
    roles["beat"] = partial(run_beat, app, place)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: place.ending.ask())
    running = {name: _start(role) for name, role in roles.items()}
    while not place.ending.asked:
        wait([process.sentinel for process in running.values()], LOOK_SECONDS)
        for name, process in running.items():
            if not process.is_alive() and not place.ending.asked:
                log.warning("%s ended (%s); it is started again", name, process.exitcode)
                running[name] = _start(roles[name])
                time.sleep(LOOK_SECONDS)
    for process in running.values():
        process.terminate()
    for process in running.values():
        process.join()
    return max(abs(process.exitcode or 0) for process in running.values())


def _start(role: Callable[[], int]) -> ForkProcess:
    process = get_context("fork").Process(target=_play, args=(role, os.getpid()))
    process.start()
    return process


def _play(role: Callable[[], int], parent: int) -> None:
    """Play a role in a process of its own, which dies with its parent."""
    set_pdeathsig("SIGKILL")
    if os.getppid() == parent:
        raise SystemExit(role())


def end_with_input() -> None:
    """Let this process end as after SIGTERM when standard input does.

    Whoever started it holds the other end of the pipe, which closes however that one ends.
    """

    def watch() -> None:
        while os.read(0, 1):
            pass
        signal.raise_signal(signal.SIGTERM)
        time.sleep(GRACE_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
