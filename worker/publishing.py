"""Publishes the messages of a job: the work that is left.

A reindex job has steps: its batches are encoded, the bundle is compared with the serving one, and
it is promoted. Any other job is one message.
"""

from celery import Celery

from ticketing.batches import batches
from ticketing.desk import Desk
from ticketing.jobs import Job, JobKind, JobState, Promotion, Step
from ticketing.plurals import counted
from ticketing.stores.jobs import JobChanges, known_job
from worker.connection import connected
from worker.progress import taken_up
from worker.queues import LONG_QUEUE, QUEUE

ENCODE_BATCH = "ticketing.encode_batch"
"""Name of the task: (job id, bundle id, ticket ids)."""

TAKE_STEP = "ticketing.take_step"
"""Name of the task that compares and promotes: (job id)."""

DO_JOB = "ticketing.do_job"
"""Name of the task that does a whole job on the long queue: (job id)."""

BATCH, LARGEST_BATCH = 128, 512
"""Tickets per message, for few and for very many tickets; at most this much work is lost with a
worker."""

MESSAGES = 32
"""Number of messages up to which a job keeps small batches, so that workers can share it."""

PAGE = 25 * LARGEST_BATCH
"""Ids held in memory while they are published."""

AWAITING = "encoded, awaiting promotion"


def queue_of(kind: JobKind) -> str:
    """The queue for jobs of this kind."""
    return QUEUE if kind == JobKind.REINDEX else LONG_QUEUE


def publish(desk: Desk, app: Celery, job: Job) -> Job:
    """Publish all remaining work of a job, and keep its heartbeat fresh.

    Raises BrokerAway; work not published by then is resumed later.
    """
    if job.kind != JobKind.REINDEX:
        job = desk.whole.update_job(job.id, state=JobState.QUEUED, result=taken_up(job, job.done))
        _send(app, DO_JOB, job)
        return desk.whole.update_job(job.id)
    store = desk.whole
    total, done = store.count_tickets(), store.count_codes(job.bundle_id)
    job = store.update_job(
        job.id,
        total=total,
        done=done,
        step=job.step or Step.ENCODING,
        result=taken_up(job, done),
    )
    page, size = store.stale_ids(job.bundle_id, limit=PAGE), batch_size(total - done)
    with connected(app) as connection, app.amqp.Producer(connection) as producer:
        while page:
            left = [id for id in page if id not in job.errors]
            for ids in batches(left, size):
                app.send_task(ENCODE_BATCH, (job.id, job.bundle_id, ids), producer=producer)
            job = store.update_job(job.id)
            page = store.stale_ids(job.bundle_id, limit=PAGE, after=page[-1])
    return go_on_if_encoded(desk, app, job.id)


def batch_size(tickets: int) -> int:
    """Number of tickets per message for this many tickets."""
    return min(max(tickets // MESSAGES, BATCH), LARGEST_BATCH)


def _send(app: Celery, name: str, job: Job) -> None:
    with connected(app) as connection, app.amqp.Producer(connection) as producer:
        app.send_task(name, (job.id,), producer=producer, queue=queue_of(job.kind))


def go_on_if_encoded(desk: Desk, app: Celery, job_id: str, likely_after: str = "") -> Job:
    """Take a reindex job to its next step if only tickets that were set aside still lack codes.

    Looks first for stale tickets after the id `likely_after`, where others will encode them; a
    search from the first ticket would take longer with each batch. Raises NotFound; BrokerAway, in
    which case the step is published later.
    """
    store = desk.whole
    job = known_job(store, job_id)
    for after in dict.fromkeys([likely_after, ""]):
        left = store.stale_ids(job.bundle_id, len(job.errors) + 1, after)
        waits = job.finished or job.state == JobState.WAITING
        if waits or not set(left) <= job.errors.keys():
            return job
    done = store.count_codes(job.bundle_id)
    if job.arguments.get("promotion") == Promotion.NEVER:
        return finish(desk, job, "done", done=done)
    if job.step == Step.ENCODING:
        job = store.update_job(
            job.id, step=Step.COMPARING, done=done, message=AWAITING, log=AWAITING
        )
    _send(app, TAKE_STEP, job)
    return job


def finish(desk: Desk, job: Job, message: str, done: int | None = None) -> Job:
    """End a job as done."""
    if job.errors:
        message += f" ({counted(len(job.errors), 'error')})"
    changes: JobChanges = {"state": JobState.DONE, "message": message, "log": message}
    if done is not None:
        changes["done"] = done
    return desk.whole.update_job(job.id, **changes)
