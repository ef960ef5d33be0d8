"""Hands work back to the broker if its bundle is not on this machine, so that another worker takes
it."""

import logging
import time

from celery import Celery
from celery.exceptions import Reject

from ticketing.desk import Desk
from ticketing.errors import BrokerAway, BundleAway
from ticketing.jobs import JobState
from worker.presence import live_workers

log = logging.getLogger(__name__)

WITHOUT = "without"
"""Key in a job's result: the workers that handed work back, with reasons, since some work was last
done or the job was retried."""

HELD_SECONDS = 2.0
"""How long a message is held before it goes back, so that others can take it."""


def hand_back(desk: Desk, app: Celery, job_id: str, worker: str, error: BundleAway) -> None:
    """Record in a job that a worker does not have its bundle, and send the message back.

    The job fails if no live worker has the bundle. Raises Reject, StoreAway.
    """
    job = desk.whole.get_job(job_id)
    if job is None or job.finished:
        return
    why = desk.settings.without_home(str(error))
    without = {**job.result.get(WITHOUT, {}), worker: why}
    said = f"{worker} hands its work back: {why}"
    if not any(line.text == said for line in job.log):
        log.warning("job %s: %s hands its work back: %s", job_id, worker, error)
        desk.whole.update_job(job_id, log=said)
    time.sleep(HELD_SECONDS)
    try:
        live = live_workers(app, worker.partition("@")[0])
    except BrokerAway:
        live = set()  # then it is unknown who lives
    if live and live <= without.keys():
        message = f"No worker can have the bundle: {why}"
        desk.whole.update_job(job_id, state=JobState.FAILED, message=message, log=message)
        return
    desk.whole.update_job(job_id, result={WITHOUT: without})
    raise Reject(str(error), requeue=True)


def forget_who(desk: Desk, job_id: str) -> None:
    """Clear the list of workers that handed back a job's work, since some was done or the job is
    retried."""
    job = desk.whole.get_job(job_id)
    if job is not None and job.result.get(WITHOUT):
        desk.whole.update_job(job_id, result={WITHOUT: {}})
