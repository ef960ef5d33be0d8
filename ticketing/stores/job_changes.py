"""What becomes of a job's record, in whichever store it is kept."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from ticketing.errors import NotFound
from ticketing.tickets import Job
from ticketing.times import utc_now


class JobChanges(TypedDict, total=False):
    """What Jobs.update_job may be given; None is as good as nothing."""

    state: str | None
    done: int | None
    total: int | None
    errors: Mapping[str, str] | None
    message: str | None


def updated(job: Job, **given: Unpack[JobChanges]) -> Job:
    """The job with what is given, and a heartbeat; see Jobs.update_job."""
    if job.finished:
        return job
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    changes["errors"] = {**job.errors, **changes.get("errors", {})}
    changes["heartbeat"] = time = utc_now()
    state = changes.get("state")
    if state == "running":
        changes["started"] = job.started or time
    elif state not in (None, "queued"):
        changes["finished"] = time
    return replace(job, **changes)


def to_be_cancelled(job: Job) -> Job:
    """The job with the wish to end it; see Jobs.request_cancel."""
    return job if job.finished else replace(job, cancel_requested=True)


def no_job(job_id: str) -> NotFound:
    """What to say of an id that no job has."""
    return NotFound(f"There is no job {job_id}; `ticketing jobs` lists those there are.")
