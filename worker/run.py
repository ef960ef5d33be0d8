"""The worker process: one solo Celery worker, and a watch that resumes jobs left behind.

The solo pool runs tasks in this process. torch's threads do not survive a fork, so the
prefork pool would be fragile, and encoding already uses `settings.threads` cores; for
more, start more workers.
"""

import logging
import threading
import warnings

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import worker_shutting_down

from ticketing.desk import Desk
from ticketing.errors import TicketingError
from worker.connection import waiting_messages
from worker.jobs import resume_jobs
from worker.tasks import register_tasks

log = logging.getLogger(__name__)

WATCH_SECONDS = 3.0
"""How often the watch looks for jobs to resume."""


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
    asked_to_end = threading.Event()
    worker_shutting_down.connect(lambda **_: asked_to_end.set(), weak=False)
    watch = threading.Thread(target=_watch, args=(desk, app, stop), daemon=True)
    worker = app.Worker(
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
    return 0 if asked_to_end.is_set() else worker.exitcode or 0


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
