"""Steps around every task's work: is the job still wanted, heartbeats, failure."""

import errno
import logging
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ticketing.desk import Desk
from ticketing.errors import BrokerAway, BundleAway, NotFound, StoreAway, TicketingError
from ticketing.jobs import Job, JobState
from ticketing.repeating import repeating
from ticketing.stores.jobs import Jobs
from worker.jobs import cancelled

log = logging.getLogger(__name__)

BEAT_SECONDS = 3.0
"""Seconds between heartbeats while a job is worked on."""


def wanted(desk: Desk, job_id: str) -> Job | None:
    """The job if there is still work for it; a job that is to be cancelled is ended."""
    job = desk.whole.get_job(job_id)
    if job is None or job.finished:
        return None
    if job.cancel_requested:
        cancelled(desk, job)
        return None
    return job


@contextmanager
def failing(desk: Desk, job_id: str) -> Iterator[None]:
    """Context manager: end a job as failed if the block raises an error that would occur again.

    Raises StoreAway (may be repeated), StoreFull (the job's end cannot be written either) and
    BundleAway (another machine may do the work). An outage of the broker is left to the watch.
    """
    try:
        yield
    except (BundleAway, StoreAway):
        raise
    except BrokerAway as error:
        log.warning("job %s goes on when the broker is back: %s", job_id, error)
    except Exception as error:
        said = sentence(desk, error)
        with suppress(NotFound):  # a restore may have deleted the job
            desk.whole.update_job(job_id, state=JobState.FAILED, message=said, log=said)
        # Errors for people are one sentence; others are defects, logged in full.
        log.error("job %s failed: %s", job_id, error, exc_info=not is_for_people(error))


@contextmanager
def beating(store: Jobs, job_id: str, seconds: float) -> Iterator[None]:
    """Context manager: keep a job's heartbeat fresh."""
    until = time.monotonic() + seconds

    def beat() -> None:
        if time.monotonic() < until:
            store.update_job(job_id)

    with repeating(beat, BEAT_SECONDS):
        yield


def is_for_people(error: Exception) -> bool:
    """Whether the text of `in_full` is a sentence that a person can act on."""
    return isinstance(error, TicketingError) or _is_full(error)


def sentence(desk: Desk, error: Exception) -> str:
    """The text of an error for a job's record. The path of the home is left out, since all who may
    ask can read the record; it is in the log."""
    return desk.settings.without_home(in_full(error))


def in_full(error: Exception) -> str:
    """The text of an error for the log."""
    if _is_full(error):
        return f"No room is left on a disk of {socket.gethostname()}; make some, and retry it."
    return str(error) if is_for_people(error) else f"{type(error).__name__}: {error}"


def _is_full(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
