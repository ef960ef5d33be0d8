"""Tasks of a worker; the main one encodes a small batch of tickets and may be repeated."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from celery import Celery

from ticketing.desk import Desk
from ticketing.errors import InputError, NotFound
from ticketing.jobs import Job, JobState
from ticketing.stores.blocks import CodeRow
from ticketing.stores.protocols import parted
from ticketing.tickets import Ticket
from worker.app import BATCH_SECONDS, STEP_SECONDS
from worker.handing_back import forget_who
from worker.long_work import do_job
from worker.progress import taken_up
from worker.promoting import take_step
from worker.publishing import DO_JOB, ENCODE_BATCH, TAKE_STEP, go_on_if_encoded
from worker.tries import GIVE_UP
from worker.working import beating, failing, in_full, is_for_people, sentence, wanted
from worker.workplace import Workplace

log = logging.getLogger(__name__)


def register_tasks(app: Celery, place: Workplace) -> None:
    """Register the tasks with the app's worker, on the desk of this workplace."""
    for name, do in TASKS.items():
        place.add_task(app, name, do, SECONDS.get(name))


def do_batch(
    desk: Desk, app: Celery, job_id: str, bundle_id: str, ticket_ids: Sequence[str]
) -> None:
    """Encode a batch, and take the job to its next step if it was the last one.

    Raises StoreAway (may be repeated).
    """
    encode_batch(desk, job_id, bundle_id, ticket_ids)
    with failing(desk, job_id), suppress(NotFound):  # a restore may have deleted the job
        go_on_if_encoded(desk, app, job_id, max(ticket_ids, default=""))


def encode_batch(desk: Desk, job_id: str, bundle_id: str, ticket_ids: Sequence[str]) -> None:
    """Encode those of the tickets that still need it, and record the progress.

    A ticket that cannot be encoded is set aside in `job.errors`. Raises StoreAway (may be repeated)
    and BundleAway; any other failure ends the job in state failed.
    """
    job = wanted(desk, job_id)
    if job:
        with failing(desk, job_id), beating(desk.whole, job_id, SECONDS[ENCODE_BATCH]):
            _encode(desk, job, bundle_id, ticket_ids)


def _encode(desk: Desk, job: Job, bundle_id: str, ticket_ids: Sequence[str]) -> None:
    store = desk.whole
    if job.state == JobState.QUEUED:
        store.update_job(job.id, state=JobState.RUNNING, result=taken_up(job, job.done))
    stale = store.stale_ids(bundle_id, among=ticket_ids)
    read = parted(store.read_tickets([id for id in stale if id not in job.errors]))
    rows, errors = encode_or_set_aside(desk, bundle_id, *read)
    stored = 0
    if rows:
        stored = store.put_codes(bundle_id, rows)
        forget_who(desk, job.id)
    store.update_job(job.id, errors=errors, more=stored)


def encode_or_set_aside(
    desk: Desk, bundle_id: str, tickets: Sequence[Ticket], tokens: Mapping[str, str]
) -> tuple[list[CodeRow], dict[str, str]]:
    """Encode tickets, with `tokens` by id; returns codes, and the error message by id for tickets
    that failed.

    If the batch fails, its tickets are encoded one by one. If every one of several tickets fails,
    the tickets are not the cause, and the last error is raised.
    """
    if not tickets:
        return [], {}
    try:
        return desk.encode(bundle_id, tickets, tokens), {}
    except Exception as error:
        if not _may_be_a_tickets_fault(error):
            raise
        log.warning("a batch of %d failed, trying one by one: %s", len(tickets), in_full(error))
    rows: list[CodeRow] = []
    errors: dict[str, str] = {}
    for ticket in tickets:
        try:
            rows += desk.encode(bundle_id, [ticket], tokens)
        except Exception as error:
            if not _may_be_a_tickets_fault(error) or len(errors) + 1 == len(tickets) > 1:
                raise
            errors[ticket.id] = sentence(desk, error)
    return rows, errors


def _may_be_a_tickets_fault(error: Exception) -> bool:
    """Whether an error may be caused by a ticket, not by the bundle, the store or the disk."""
    return isinstance(error, InputError) or not is_for_people(error)


def give_up(desk: Desk, app: Celery, job_id: str, why: str) -> None:
    """Fail a job whose message has repeatedly killed its process or taken too long."""
    job = desk.whole.get_job(job_id)
    if job is not None and not job.finished:
        log.error("job %s failed: %s", job_id, why)
        desk.whole.update_job(job_id, state=JobState.FAILED, message=why, log=why)


TASKS: dict[str, Callable[..., None]] = {
    ENCODE_BATCH: do_batch,
    TAKE_STEP: take_step,
    DO_JOB: do_job,
    GIVE_UP: give_up,
}
"""The function for each task name: (desk, app, arguments of the message)."""

SECONDS = {ENCODE_BATCH: BATCH_SECONDS, TAKE_STEP: STEP_SECONDS, GIVE_UP: BATCH_SECONDS}
"""Time limits of tasks; any other task has the limit of a job."""
