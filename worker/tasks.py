"""What a worker does with one message: encode a small batch of tickets, safe to repeat."""

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from celery import Celery

from ticketing.desk import Desk
from ticketing.errors import InputError, NotFound, StoreAway, TicketingError
from ticketing.jobs import Job, JobState
from ticketing.stores.jobs import Jobs
from ticketing.stores.protocols import CodeRow
from ticketing.tickets import Ticket
from worker.jobs import ENCODE_BATCH, finish_if_complete

log = logging.getLogger(__name__)

BEAT_SECONDS = 3.0
"""How often the heartbeat is set while a batch is encoded."""


def register_tasks(app: Celery, desk: Desk) -> None:
    """Make the app's worker able to do the tasks, on this desk."""

    @app.task(
        name=ENCODE_BATCH,
        autoretry_for=(StoreAway,),
        retry_backoff=2,  # seconds, doubled each time; afterwards `resume_jobs` asks again
        max_retries=5,
    )
    def task(job_id: str, bundle_id: str, ticket_ids: list[str]) -> None:
        encode_batch(desk, job_id, bundle_id, ticket_ids)


def encode_batch(desk: Desk, job_id: str, bundle_id: str, ticket_ids: Sequence[str]) -> None:
    """Encode those of the tickets that still need it and record how far the job is.

    A ticket that cannot be encoded is set aside in `job.errors`. Raises StoreAway, which
    may be repeated; any other failure ends the job in state failed.
    """
    job = desk.store.get_job(job_id)
    if job is None or job.finished:
        return
    if job.cancel_requested:
        desk.store.update_job(job_id, state=JobState.CANCELLED, message="cancelled")
        return
    try:
        with beating(desk.store, job_id):
            _encode(desk, job, bundle_id, ticket_ids)
    except StoreAway:
        raise
    except Exception as error:
        # What a person can act on is a sentence; anything else is a defect, told in full.
        log.error("job %s failed: %s", job_id, error, exc_info=not _is_for_people(error))
        with suppress(NotFound):  # a restore may have taken the job away
            desk.store.update_job(job_id, state=JobState.FAILED, message=_sentence(error))


@contextmanager
def beating(store: Jobs, job_id: str) -> Iterator[None]:
    """Keep a job's heartbeat fresh during the block, however long its batch takes."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(BEAT_SECONDS):
            with suppress(TicketingError):  # the batch itself will meet it
                store.update_job(job_id)

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _encode(desk: Desk, job: Job, bundle_id: str, ticket_ids: Sequence[str]) -> None:
    store = desk.store
    store.update_job(job.id, state=JobState.RUNNING)
    stale = store.stale_ids(bundle_id, among=ticket_ids)
    tickets = store.get_tickets([id for id in stale if id not in job.errors])
    rows, errors = encode_or_set_aside(desk, bundle_id, list(tickets.values()))
    if rows:
        store.put_codes(bundle_id, rows)
    store.update_job(job.id, done=store.count_codes(bundle_id), errors=errors)
    finish_if_complete(store, job.id)


def encode_or_set_aside(
    desk: Desk, bundle_id: str, tickets: Sequence[Ticket]
) -> tuple[list[CodeRow], dict[str, str]]:
    """Codes of the tickets, and what went wrong by id for those that have none.

    A batch that fails is encoded again one by one. Where every one of several tickets
    fails, it is not the tickets: the last error is raised.
    """
    if not tickets:
        return [], {}
    try:
        return desk.encode(bundle_id, tickets), {}
    except Exception as error:
        if not _may_be_a_tickets_fault(error):
            raise
        log.warning("a batch of %d failed, trying one by one: %s", len(tickets), _sentence(error))
    rows: list[CodeRow] = []
    errors: dict[str, str] = {}
    for ticket in tickets:
        try:
            rows += desk.encode(bundle_id, [ticket])
        except Exception as error:
            if not _may_be_a_tickets_fault(error) or len(errors) + 1 == len(tickets) > 1:
                raise
            errors[ticket.id] = _sentence(error)
    return rows, errors


def _may_be_a_tickets_fault(error: Exception) -> bool:
    """Not so for what is said of the bundle or the store."""
    return isinstance(error, InputError) or not isinstance(error, TicketingError)


def _is_for_people(error: Exception) -> bool:
    return isinstance(error, TicketingError)


def _sentence(error: Exception) -> str:
    return str(error) if _is_for_people(error) else f"{type(error).__name__}: {error}"
