"""Jobs and leases: their interfaces, and code that all stores share."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Protocol, TypedDict, Unpack

from ticketing.errors import Conflict, NotFound, StoreError
from ticketing.files import Json
from ticketing.jobs import LOG_LINES, Job, JobKind, JobState, LogLine
from ticketing.times import utc_now


class JobChanges(TypedDict, total=False):
    """Fields that Jobs.update_job can change."""

    state: JobState
    step: str
    done: int
    more: int
    """Added to `done`, up to `total`."""
    total: int
    errors: Mapping[str, str]
    """Merged into the recorded errors."""
    message: str
    result: Json
    """Merged into what is recorded."""
    log: str
    """A sentence to append."""
    attempts: int


class Jobs(Protocol):
    """The records of long work."""

    def create_job(
        self,
        kind: JobKind,
        bundle_id: str,
        total: int,
        arguments: Json | None = None,
        by: str = "",
    ) -> Job:
        """Create a job in state queued. Unless jobs of this kind may run side by side, an
        unfinished job of the same kind and bundle is returned instead, so that a repeated request
        does the work once."""

    def put_job(self, job: Job) -> None:
        """Store the record of a job made elsewhere, replacing an older one. There may be only one
        unfinished job of a kind and bundle, unless they may run side by side."""

    def get_job(self, job_id: str) -> Job | None:
        """A job's record."""

    def jobs(self, limit: int = 20, kind: JobKind | None = None, bundle_id: str = "") -> list[Job]:
        """The latest jobs, newest first, optionally of one kind or one bundle."""

    def unfinished_jobs(self) -> list[Job]:
        """All jobs that are queued, running or waiting, newest first."""

    def update_job(self, job_id: str, **changes: Unpack[JobChanges]) -> Job:
        """Change the given fields and set the heartbeat. A finished job (done, cancelled, failed)
        is not changed. Raises NotFound."""

    def request_cancel(self, job_id: str) -> Job:
        """Request cancellation: workers check `cancel_requested` before each batch. The heartbeat
        is not changed, nor is a finished job. Raises NotFound."""

    def reopen_job(self, job_id: str) -> Job:
        """Queue a failed or cancelled job again: errors, end and cancellation are reset. Any other
        job is not changed. Raises NotFound, and Conflict if another job of the same kind and bundle
        is unfinished."""


class Leases(Protocol):
    """Leases: locks that expire unless they are renewed.

    Clocks are not compared. A lease of another holder has expired when this store object has seen
    it unchanged for as long as its duration, so a process that wants it keeps asking.
    """

    def take_lease(self, name: str, holder: str, seconds: float, renewed: bool = False) -> bool:
        """Take a lease that is free or expired, or renew one's own; False if another holder has it.
        With `renewed`, one's own lease must still exist; if another process has held it meanwhile,
        this returns False even if it is free again. Renew a lease well before it expires."""

    def drop_lease(self, name: str, holder: str) -> None:
        """Release one's own lease; that of another holder stays."""

    def lease_is_free(self, name: str) -> bool:
        """Whether nobody holds a lease, or it has expired as seen by this store object."""


def updated(job: Job, changes: JobChanges) -> Job:
    """The job with changes and a heartbeat; see Jobs.update_job."""
    if job.finished:
        return job
    new: dict[str, Any] = {**changes, "heartbeat": (time := utc_now())}
    if more := new.pop("more", 0):
        new["done"] = min(job.done + more, job.total)
    for merged in ("errors", "result"):
        new[merged] = {**getattr(job, merged), **new.get(merged, {})}
    if "log" in changes:
        new["log"] = (*job.log, LogLine(time, changes["log"]))[-LOG_LINES:]
    state = changes.get("state", job.state)
    if state == JobState.RUNNING:
        new["started"] = job.started or time
    elif state.final:
        new["finished"] = time
    return replace(job, **new)


def to_be_cancelled(job: Job) -> Job:
    """The job with cancellation requested; see Jobs.request_cancel."""
    return job if job.finished else replace(job, cancel_requested=True)


def reopened(job: Job) -> Job:
    """The job queued again; see Jobs.reopen_job. It starts with its first step, since an old
    comparison may be outdated."""
    if job.state not in (JobState.FAILED, JobState.CANCELLED):
        return job
    again = LogLine(utc_now(), "queued again")
    return replace(
        job,
        state=JobState.QUEUED,
        step="",
        heartbeat=None,
        started=None,
        finished=None,
        cancel_requested=False,
        errors={},
        message="",
        log=(*job.log, again)[-LOG_LINES:],
    )


def no_job(job_id: str) -> NotFound:
    """The error for an unknown job id."""
    return NotFound(f"There is no job {job_id}; `ticketing jobs` lists those there are.")


def known_job(store: Jobs, job_id: str) -> Job:
    """A job by its id. Raises NotFound."""
    job = store.get_job(job_id)
    if job is None:
        raise no_job(job_id)
    return job


def all_jobs(store: Jobs) -> list[Job]:
    """All jobs, newest first."""
    return store.jobs(limit=100_000)


def unreadable(job_id: str) -> StoreError:
    """The error for a record that cannot be read."""
    return StoreError(f"The record of job {job_id} in the store is damaged; see `ticketing check`.")


def another_job(job: Job) -> Conflict:
    """The error if another job prevents this one."""
    return Conflict(
        f"Another {job.kind} job is under way; wait for its end, or cancel it, then retry {job.id}."
    )


@dataclass(frozen=True)
class Lease:
    """The holder and duration in seconds of a lease; `turn` changes with each renewal."""

    holder: str
    seconds: float
    turn: int


class SeenLeases:
    """Leases of others as seen by this process, and since when they have not changed."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[Lease, float]] = {}

    def next(self, name: str, found: Lease | None, holder: str, seconds: float) -> Lease | None:
        """The lease that the holder may write over the `found` one; None if it may not."""
        if found and found.holder != holder and not self.has_run_out(name, found):
            return None
        return Lease(holder, seconds, found.turn + 1 if found else 0)

    def has_run_out(self, name: str, lease: Lease) -> bool:
        """Whether a lease was seen unchanged for its whole duration."""
        seen, since = self._seen.get(name, (None, 0.0))
        if seen != lease:
            self._seen[name] = lease, (since := monotonic())
        return monotonic() - since >= lease.seconds
