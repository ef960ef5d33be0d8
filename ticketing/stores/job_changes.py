"""What becomes of a job's record, in whichever store it is kept."""

from collections.abc import Mapping
from dataclasses import replace

from ticketing.errors import NotFound
from ticketing.tickets import Job
from ticketing.times import utc_now


def updated(
    job: Job,
    *,
    state: str | None = None,
    done: int | None = None,
    total: int | None = None,
    errors: Mapping[str, str] | None = None,
    message: str | None = None,
) -> Job:
    """The job with what is given, and a heartbeat; see Jobs.update_job."""
    if job.finished:
        return job
    given = {"state": state, "done": done, "total": total, "message": message}
    changes = {name: value for name, value in given.items() if value is not None}
    time = utc_now()
    if state == "running":
        changes["started"] = job.started or time
    elif state not in (None, "queued"):
        changes["finished"] = time
    return replace(job, heartbeat=time, errors={**job.errors, **(errors or {})}, **changes)


def to_be_cancelled(job: Job) -> Job:
    """The job with the wish to end it; see Jobs.request_cancel."""
    return job if job.finished else replace(job, cancel_requested=True)


def no_job(job_id: str) -> NotFound:
    """What to say of an id that no job has."""
    return NotFound(f"There is no job {job_id}; `ticketing jobs` lists those there are.")
