"""Start, resume, cancel and finish jobs. The store knows what is left; messages may be lost."""

from datetime import UTC, datetime

from celery import Celery

from ticketing.desk import Desk
from ticketing.errors import NotFound
from ticketing.stores.protocol import TicketStore
from ticketing.tickets import Job
from worker.app import QUEUE

REINDEX = "reindex"
"""The kind of job that gives every ticket codes under a bundle."""

ENCODE_BATCH = "ticketing.encode_batch"
"""Name of the task: (job id, bundle id, ticket ids)."""

BATCH = 128
"""Tickets a message; what a killed worker costs at most."""

SILENT_SECONDS = 10.0
"""A job whose heartbeat is older than this is not being worked on."""


def start_reindex(desk: Desk, app: Celery, bundle_id: str) -> Job:
    """Publish the encoding of every ticket without fresh codes; asking again goes on with it.

    A job that somebody is working on, or whose messages still wait, is only returned.
    """
    store = desk.store
    job = store.create_job(REINDEX, bundle_id, store.count_tickets())
    if job.cancel_requested:  # and nobody there to end it
        store.update_job(job.id, state="cancelled", message="cancelled")
        job = store.create_job(REINDEX, bundle_id, store.count_tickets())
    is_new = job.heartbeat is None
    if is_new or (silent_for(job) > SILENT_SECONDS and not waiting_messages(app)):
        return publish(desk, app, job)
    return job


def publish(desk: Desk, app: Celery, job: Job) -> Job:
    """Publish a batch message for all that is left to do, and set the heartbeat."""
    store = desk.store
    job = store.update_job(
        job.id, total=store.count_tickets(), done=store.count_codes(job.bundle_id)
    )
    left = [id for id in store.stale_ids(job.bundle_id) if id not in job.errors]
    with app.producer_or_acquire() as producer:
        for start in range(0, len(left), BATCH):
            app.send_task(
                ENCODE_BATCH,
                (job.id, job.bundle_id, left[start : start + BATCH]),
                producer=producer,
            )
    return finish_if_complete(store, job.id)


def resume_jobs(desk: Desk, app: Celery) -> list[Job]:
    """Publish again what is left of jobs that nobody works on; returns those jobs.

    A worker that is killed takes the message it held with it. Messages that still wait
    in the queue are left to the workers.
    """
    silent = [job for job in unfinished_jobs(desk.store) if silent_for(job) > SILENT_SECONDS]
    if not silent or waiting_messages(app):
        return []
    return [_resume(desk, app, job) for job in silent]


def _resume(desk: Desk, app: Celery, job: Job) -> Job:
    if job.cancel_requested:
        return desk.store.update_job(job.id, state="cancelled", message="cancelled")
    return publish(desk, app, job)


def cancel_reindex(store: TicketStore, bundle_id: str) -> Job:
    """Ask the unfinished job of a bundle to end; one that nobody works on ends at once.

    Raises NotFound when there is none.
    """
    for job in unfinished_jobs(store):
        if job.bundle_id == bundle_id:
            job = store.request_cancel(job.id)
            if silent_for(job) > SILENT_SECONDS:
                job = store.update_job(job.id, state="cancelled", message="cancelled")
            return job
    raise NotFound(f"No reindexing of bundle {bundle_id} is under way; `ticketing jobs` lists all.")


def finish_if_complete(store: TicketStore, job_id: str) -> Job:
    """End the job as done when only tickets that were set aside still lack codes."""
    job = store.get_job(job_id)
    left = store.stale_ids(job.bundle_id, limit=len(job.errors) + 1)
    if set(left) <= job.errors.keys():
        count = len(job.errors)
        return store.update_job(
            job_id,
            state="done",
            done=store.count_codes(job.bundle_id),
            message=f"done with {count} error{'s' * (count > 1)}" if count else "done",
        )
    return job


def unfinished_jobs(store: TicketStore) -> list[Job]:
    """Reindexing jobs that are queued or running, newest first."""
    return [job for job in store.jobs(limit=100) if job.kind == REINDEX and not job.finished]


def silent_for(job: Job) -> float:
    """Seconds since anybody last worked on the job, or since it was made."""
    return (_now() - (job.heartbeat or job.created)).total_seconds()


def rate(job: Job) -> float:
    """Tickets a second from the job's start until its last heartbeat; 0 before there is any."""
    if not job.started or not job.heartbeat:
        return 0.0
    seconds = ((job.finished or job.heartbeat) - job.started).total_seconds()
    return job.done / seconds if seconds > 0 else 0.0


def seconds_left(job: Job) -> float | None:
    """Estimate until the job is done, or None while nothing is known."""
    speed = rate(job)
    return (job.total - job.done - len(job.errors)) / speed if speed else None


def waiting_messages(app: Celery) -> int:
    """How many batches wait for a worker."""
    with app.connection_for_write() as connection:
        return connection.default_channel.queue_declare(QUEUE).message_count


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
