"""The worker process: one solo Celery worker, and a watch that resumes jobs left behind.

The solo pool runs tasks in this process. torch's threads do not survive a fork, so the
prefork pool would be fragile, and encoding already uses `settings.threads` cores; for
more, start more workers.
"""

import logging
import os
import signal
import threading
import time
import warnings

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.worker import WorkController, state

from ticketing.desk import Desk
from ticketing.errors import TicketingError
from worker.connection import waiting_messages
from worker.jobs import resume_jobs
from worker.tasks import register_tasks

log = logging.getLogger(__name__)

WATCH_SECONDS = 3.0
"""How often the watch looks for jobs to resume."""

GRACE_SECONDS = 10
"""How long a batch may take to end once nobody feeds the worker any more."""


def run_worker(app: Celery, desk: Desk) -> int:
    """Work until Ctrl-C or SIGTERM, which let the current batch end and are no failure.

    Returns the exit code. Raises BrokerAway when the broker cannot be had at the start;
    one that goes away later is waited for.
    """
    waiting_messages(app)
    # Celery warns of root because of pickle, which this app does not accept.
    warnings.simplefilter("ignore", SecurityWarning)
    register_tasks(app, desk)
    stop = threading.Event()
    watch = threading.Thread(target=_watch, args=(desk, app, stop), daemon=True)
    worker = _ending_quietly(app.Worker)(
        pool="solo",
        concurrency=1,
        loglevel=desk.settings.log_level,
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    watch.start()
    try:
        worker.start()
    finally:
        stop.set()
        watch.join()
    return worker.exitcode or 0


def _ending_quietly(base: type[WorkController]) -> type[WorkController]:
    """Celery's worker, but Ctrl-C and SIGTERM both let the current batch end, and say nothing."""

    class Worker(base):  # type: ignore[valid-type, misc]  # the app makes it
        def install_platform_tweaks(self, worker: WorkController) -> None:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, self._end_after_the_batch)

        def _end_after_the_batch(self, *_: object) -> None:
            state.should_stop = 0  # type: ignore[assignment]  # the stub knows None alone

    return Worker


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


def _watch(desk: Desk, app: Celery, stop: threading.Event) -> None:
    while True:
        try:
            for job in resume_jobs(desk, app):
                log.info("resumed job %s: %d of %d done", job.id, job.done, job.total)
        except TicketingError as error:
            log.warning("cannot look for jobs to resume: %s", error)
        except Exception:
            log.exception("cannot look for jobs to resume")
        if stop.wait(WATCH_SECONDS):
            return
