"""A reindexing from the command line: followed to its end, and done here where nobody else does."""

import sys
import time

import click
from celery import Celery
from kombu import Queue
from tqdm import tqdm

from ticketing.cli.doer import audited_switch
from ticketing.cli.waiting import shown_waiting
from ticketing.desk import Desk
from ticketing.errors import StoreAway, TicketingError
from ticketing.jobs import Job, JobState
from worker.connection import connected
from worker.discarding import UNREADABLE, discarded
from worker.jobs import resume_jobs, start_reindex
from worker.progress import silent_for, summary
from worker.queues import QUEUE
from worker.tasks import BEAT_SECONDS, encode_batch

POLL_SECONDS = 0.3
PICK_UP_SECONDS = 2.0
"""How long a queued job waits for a worker before this process does the work itself."""

PATIENCE_SECONDS = 15.0
"""How long a job may stand still before the follower says that a worker is missing."""

NO_WORKER = "No worker is at it; start one with `ticketing work`."


def encode_and_promote(desk: Desk, app: Celery, bundle_id: str) -> None:
    """Encode every ticket under a bundle, show how far it is, and let the bundle serve unless it
    loses to the serving one. Raises TicketingError where the encoding fails."""
    job = follow(desk, app, start_reindex(desk, app, bundle_id))
    if job.state == JobState.FAILED:
        raise TicketingError(f"Reindexing failed at {job.done} of {job.total}: {job.message}")
    click.echo(summary(job))
    for id, error in job.errors.items():
        click.echo(f"  set aside: {id}: {error}")
    if job.state == JobState.DONE:
        with shown_waiting("Comparing with the serving bundle"), audited_switch(desk):
            verdict = desk.promote(bundle_id)
        click.echo(verdict)


def follow(desk: Desk, app: Celery, job: Job) -> Job:
    """Show a job's progress until it has finished; Ctrl-C leaves it to the worker.

    On embedded parts this process does what waits where no worker does; a store that is away
    is waited for.
    """
    told = {""}
    alone = False
    try:
        with tqdm(total=job.total, initial=job.done, unit=" tickets", desc="Encoding") as bar:
            while not job.finished:
                try:
                    if not (alone and do_waiting_batch(desk, app)):
                        time.sleep(POLL_SECONDS)
                    job = desk.store.get_job(job.id) or job
                    alone = alone or (not desk.settings.broker and _is_left_alone(job))
                    missing = not alone and silent_for(job) > PATIENCE_SECONDS
                    notice = NO_WORKER if missing else ""
                except StoreAway as error:
                    notice = f"{error} The job goes on when it is back."
                if notice not in told:
                    bar.write(notice, sys.stderr)
                    told.add(notice)
                bar.total = job.total
                bar.update(job.done - bar.n)
    except KeyboardInterrupt:
        if alone:
            raise
        raise TicketingError(
            "The worker goes on; `ticketing reindex` shows it again,"
            " `ticketing reindex --cancel` ends it."
        ) from None
    return job


def _is_left_alone(job: Job) -> bool:
    """Whether no worker seems to be there: one that works is never silent for long."""
    return silent_for(job) > (PICK_UP_SECONDS if job.state == JobState.QUEUED else BEAT_SECONDS + 1)


def do_waiting_batch(desk: Desk, app: Celery) -> bool:
    """Do one waiting batch as a worker does; False where none waits.

    Jobs whose batches were lost with a worker are published again then.
    """
    with connected(app) as connection:
        message = Queue(QUEUE, channel=connection.default_channel).get(no_ack=True)
    if message is None:
        resume_jobs(desk, app)
        return False
    try:
        (job_id, bundle_id, ticket_ids), *_ = message.payload
    except UNREADABLE as error:
        discarded(QUEUE, error)
    else:
        encode_batch(desk, job_id, bundle_id, ticket_ids)
    return True
