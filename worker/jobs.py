"""Start, resume, cancel and finish jobs. The store knows what is left; messages may be lost."""

from typing import Protocol

from celery import Celery

from ticketing.desk import Desk
from ticketing.errors import NotFound
from ticketing.jobs import Job, JobKind, JobState
from ticketing.stores.jobs import Jobs, no_job
from ticketing.stores.protocols import Codes
from worker.connection import connected, waiting_messages
from worker.progress import silent_for

ENCODE_BATCH = "ticketing.encode_batch"
"""Name of the task: (job id, bundle id, ticket ids)."""

BATCH = 128
"""Tickets a message; what a killed worker costs at most."""

PAGE = 100 * BATCH
"""Ids held in memory while they are published."""

SILENT_SECONDS = 10.0
"""A job whose heartbeat is older than this is not being worked on."""


class JobsOnCodes(Jobs, Codes, Protocol):
    """Jobs, and the codes that say how far they are."""


def start_reindex(desk: Desk, app: Celery, bundle_id: str) -> Job:
    """Publish the encoding of every ticket without fresh codes; asking again goes on with it.

    A job that somebody is working on, or whose messages still wait, is only returned.
    Raises BrokerAway, before any job is made.
    """
    store = desk.store
    waiting = waiting_messages(app)
    job = store.create_job(JobKind.REINDEX, bundle_id, store.count_tickets())
    if job.cancel_requested:  # and nobody there to end it
        store.update_job(job.id, state=JobState.CANCELLED, message="cancelled")
        job = store.create_job(JobKind.REINDEX, bundle_id, store.count_tickets())
    is_new = job.heartbeat is None
    if is_new or (silent_for(job) > SILENT_SECONDS and not waiting):
        return publish(desk, app, job)
    return job


def publish(desk: Desk, app: Celery, job: Job) -> Job:
    """Publish a batch message for all that is left to do, and keep the heartbeat fresh.

    Raises BrokerAway; what was not published by then is resumed later.
    """
    store = desk.store
    total, done = store.count_tickets(), store.count_codes(job.bundle_id)
    job = store.update_job(job.id, total=total, done=done)
    page = store.stale_ids(job.bundle_id, limit=PAGE)
    with connected(app) as connection, app.amqp.Producer(connection) as producer:
        while page:
            left = [id for id in page if id not in job.errors]
            for start in range(0, len(left), BATCH):
                batch = (job.id, job.bundle_id, left[start : start + BATCH])
                app.send_task(ENCODE_BATCH, batch, producer=producer)
            job = store.update_job(job.id)
            page = store.stale_ids(job.bundle_id, limit=PAGE, after=page[-1])
    return finish_if_complete(store, job.id)


def resume_jobs(desk: Desk, app: Celery) -> list[Job]:
    """Publish again what is left of jobs that nobody works on; returns those jobs.

    A message that a worker held when it was killed is lost with the filesystem broker, and
    out of sight for `VISIBILITY_SECONDS` with Redis. Nobody waits for it: a worker keeps the
    heartbeat of its job fresh, so that silence means that no worker holds any of it, and a
    message that turns up again later finds nothing to do. Messages that still wait in the
    queue are left to the workers. Raises BrokerAway.
    """
    silent = [job for job in unfinished_jobs(desk.store) if silent_for(job) > SILENT_SECONDS]
    if not silent or waiting_messages(app):
        return []
    return [_resume(desk, app, job) for job in silent]


def _resume(desk: Desk, app: Celery, job: Job) -> Job:
    if job.cancel_requested:
        return desk.store.update_job(job.id, state=JobState.CANCELLED, message="cancelled")
    return publish(desk, app, job)


def cancel_reindex(store: Jobs, bundle_id: str) -> Job:
    """Ask the unfinished job of a bundle to end; one that nobody works on ends at once.

    Raises NotFound when there is none.
    """
    for job in unfinished_jobs(store):
        if job.bundle_id == bundle_id:
            job = store.request_cancel(job.id)
            if silent_for(job) > SILENT_SECONDS:
                job = store.update_job(job.id, state=JobState.CANCELLED, message="cancelled")
            return job
    raise NotFound(f"No reindexing of bundle {bundle_id} is under way; `ticketing jobs` lists all.")


def finish_if_complete(store: JobsOnCodes, job_id: str) -> Job:
    """End the job as done when only tickets that were set aside still lack codes.

    Raises NotFound.
    """
    job = store.get_job(job_id)
    if job is None:
        raise no_job(job_id)
    left = store.stale_ids(job.bundle_id, limit=len(job.errors) + 1)
    if set(left) <= job.errors.keys():
        count = len(job.errors)
        return store.update_job(
            job_id,
            state=JobState.DONE,
            done=store.count_codes(job.bundle_id),
            message=f"done with {count} error{'s' * (count > 1)}" if count else "done",
        )
    return job


def unfinished_jobs(store: Jobs) -> list[Job]:
    """Reindexing jobs that are queued or running, newest first."""
    return [job for job in store.unfinished_jobs() if job.kind == JobKind.REINDEX]
