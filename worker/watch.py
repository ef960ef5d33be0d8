"""The watch: a process that resumes jobs which were left behind."""

import logging
import signal
import threading

from celery import Celery

from worker.connection import waiting_messages
from worker.jobs import resume_jobs
from worker.workplace import Workplace

log = logging.getLogger(__name__)

WATCH_SECONDS = 3.0
"""Seconds between two looks for jobs to resume."""


def run_watch(app: Celery, place: Workplace) -> int:
    """Look for jobs to resume until Ctrl-C or SIGTERM; waits for store and broker."""
    end = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: end.set())
    while not place.ending.asked:
        _look(app, place)
        if end.wait(WATCH_SECONDS):
            break
    return 0


def _look(app: Celery, place: Workplace) -> None:
    with place.tolerating("look for jobs to resume"):
        waiting_messages(app)
        place.broker.over()
        for job in resume_jobs(place.desk, app):
            log.info("resumed job %s: %d of %d done", job.id, job.done, job.total)
