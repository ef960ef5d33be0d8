"""`ticketing work`: starts and restarts a process per queue, the watch and the beat.

It opens no store and loads no model, so the forked processes start clean and its memory stays
small.
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
"""Seconds between two checks of the processes."""

GRACE_SECONDS = 10
"""How long a batch may take to end after the worker is told to end."""


def supervise(
    app: Celery,
    place: Workplace,
    queues: Sequence[str] = QUEUES,
    log_level: str = "WARNING",
    events: bool = False,
) -> int:
    """Work on the queues until Ctrl-C or SIGTERM, which let current batches end and count as
    success.

    Returns the exit code. While the broker or the store cannot be reached, workers wait.
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
    """Run a role in a process of its own, which dies with its parent."""
    set_pdeathsig("SIGKILL")
    if os.getppid() == parent:
        raise SystemExit(role())


def end_with_input() -> None:
    """End this process, as after SIGTERM, when standard input ends.

    The parent holds the other end of the pipe, which closes however the parent ends.
    """

    def watch() -> None:
        while os.read(0, 1):
            pass
        signal.raise_signal(signal.SIGTERM)
        time.sleep(GRACE_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
