"""What every task does around its work: is it still wanted, is it alive, has it failed."""

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
"""How often the heartbeat is set while a job is worked on."""


def wanted(desk: Desk, job_id: str) -> Job | None:
    """The job, if there is still something to do for it; one that is to be cancelled is ended."""
    job = desk.whole.get_job(job_id)
    if job is None or job.finished:
        return None
    if job.cancel_requested:
        cancelled(desk, job)
        return None
    return job


@contextmanager
def failing(desk: Desk, job_id: str) -> Iterator[None]:
    """End a job as failed where the block raises what repeating it does not mend.

    Raises StoreAway, which may be repeated, as may StoreFull, where not even the job's end can be
    written, and BundleAway, where another machine may do it; a broker that is away is left to the
    watch.
    """
    try:
        yield
    except (BundleAway, StoreAway):
        raise
    except BrokerAway as error:
        log.warning("job %s goes on when the broker is back: %s", job_id, error)
    except Exception as error:
        said = sentence(desk, error)
        with suppress(NotFound):  # a restore may have taken the job away
            desk.whole.update_job(job_id, state=JobState.FAILED, message=said, log=said)
        # What a person can act on is a sentence; anything else is a defect, told in full.
        log.error("job %s failed: %s", job_id, error, exc_info=not is_for_people(error))


@contextmanager
def beating(store: Jobs, job_id: str, seconds: float) -> Iterator[None]:
    """Keep a job's heartbeat fresh during the block, for as long as that may take."""
    until = time.monotonic() + seconds

    def beat() -> None:
        if time.monotonic() < until:
            store.update_job(job_id)

    with repeating(beat, BEAT_SECONDS):
        yield


def is_for_people(error: Exception) -> bool:
    """Whether what `in_full` says of an error is a sentence that a person can act on."""
    return isinstance(error, TicketingError) or _is_full(error)


def sentence(desk: Desk, error: Exception) -> str:
    """What a job's record says of an error: without where the home is, which the log says, as all
    who may ask read it."""
    return desk.settings.without_home(in_full(error))


def in_full(error: Exception) -> str:
    """What the log says of an error."""
    if _is_full(error):
        return f"No room is left on a disk of {socket.gethostname()}; make some, and retry it."
    return str(error) if is_for_people(error) else f"{type(error).__name__}: {error}"


def _is_full(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
