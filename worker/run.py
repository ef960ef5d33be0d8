"""One Celery worker for one queue: a process that consumes messages, and a child process that does
the work.

The prefork pool enforces time limits: a child that hangs is killed and replaced. Threads of torch
and numba do not survive a fork, so only the child opens the desk and loads bundles. Encoding uses
`settings.threads` cores; for more, start more workers.
"""

import os
import signal
import socket
import threading
import warnings
from functools import partialmethod

import billiard
from billiard.pool import Pool
from celery import Celery, signals
from celery.concurrency.prefork import TaskPool
from celery.exceptions import SecurityWarning
from celery.worker import WorkController, state
from tqdm import tqdm

from worker.consumer import say_outages_once
from worker.presence import sign_of_life
from worker.tasks import register_tasks
from worker.workplace import Workplace


class UnsharedPool(Pool):
    """A pool whose single child reads tasks with a lock of its own. The usual lock is shared by all
    children, and one that is killed while waiting would hold it forever."""

    def _setup_queues(self) -> None:
        super()._setup_queues()  # type: ignore[misc]  # the stub lacks it
        queue = self._inqueue  # type: ignore[attr-defined]  # as well
        queue._rlock = threading.Lock()  # noqa: SLF001  nothing else lets us choose it


class OneChild(TaskPool):
    """Celery's pool with one forked child."""

    BlockingPool = UnsharedPool


def run_worker(app: Celery, queue: str, place: Workplace, log_level: str, events: bool) -> int:
    """Work on a queue until Ctrl-C or SIGTERM, which let the current batch end.

    `events` enables Celery's events for Flower and `celery events`. Waits for a broker that is
    away. Returns the exit code.
    """

    def end_after_the_batch(*_: object) -> None:
        place.ending.ask()
        state.should_stop = 0  # type: ignore[assignment]  # the stub knows None alone

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end_after_the_batch)
    # Celery warns of root because of pickle, which this app does not accept.
    warnings.simplefilter("ignore", SecurityWarning)
    billiard.set_start_method("fork", force=True)
    signals.worker_process_init.connect(_outlive_signals)
    signals.worker_process_init.connect(_draw_no_bars)
    register_tasks(app, place)
    say_outages_once(app, place.broker)
    name = f"{queue}@{socket.gethostname()}.{os.getpid()}"
    with sign_of_life(app, name):
        worker = _with_our_signals(app.Worker)(
            hostname=name,
            queues=[queue],
            pool=OneChild,
            concurrency=1,
            loglevel=log_level,
            quiet=True,
            task_events=events,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=not events,
        )
        if not place.ending.asked:
            worker.start()
    return worker.exitcode or 0


def _with_our_signals(base: type[WorkController]) -> type[WorkController]:
    """Celery's worker without its messages at the end."""

    class Worker(base):  # type: ignore[valid-type, misc]  # the app makes it
        def install_platform_tweaks(self, worker: WorkController) -> None:
            """Does nothing, since signals are handled here."""

    return Worker


def _outlive_signals(**_: object) -> None:
    """Ignore signals sent to the whole process group, so that the child can finish its batch."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _draw_no_bars(**_: object) -> None:
    """Disable progress bars: a job's record has the progress, and bars would fill the log."""
    tqdm.__init__ = partialmethod(tqdm.__init__, disable=True)  # type: ignore[assignment]
