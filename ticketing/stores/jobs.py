"""What every store does with the records of long work, and with leases."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Protocol, TypedDict, Unpack

from ticketing.errors import Conflict, NotFound, StoreError
from ticketing.files import Json
from ticketing.jobs import LOG_LINES, Job, JobKind, JobState, LogLine
from ticketing.times import utc_now


class JobChanges(TypedDict, total=False):
    """What Jobs.update_job may be given."""

    state: JobState
    step: str
    done: int
    more: int
    """Added to `done`, up to `total`."""
    total: int
    errors: Mapping[str, str]
    """Merged into those recorded."""
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
        """A new job in state queued; unless they may be side by side, an unfinished job of the same
        kind and bundle is returned instead, so that asking twice does the work once."""

    def put_job(self, job: Job) -> None:
        """Keep the record of a job that was made elsewhere, in the place of what it was before.
        Of a kind and a bundle no two may be unfinished, unless they may be side by side."""

    def get_job(self, job_id: str) -> Job | None:
        """The job's record."""

    def jobs(self, limit: int = 20, kind: JobKind | None = None, bundle_id: str = "") -> list[Job]:
        """The latest jobs, newest first: of a kind, or about a bundle, where one is given."""

    def unfinished_jobs(self) -> list[Job]:
        """All jobs that are queued, running or waiting, newest first."""

    def update_job(self, job_id: str, **changes: Unpack[JobChanges]) -> Job:
        """Change what is given and set the heartbeat. A finished job (done, cancelled, failed) is
        left as it is. Raises NotFound."""

    def request_cancel(self, job_id: str) -> Job:
        """Ask for an end: workers see `cancel_requested` before each batch. The heartbeat and a
        finished job stay as they are. Raises NotFound."""

    def reopen_job(self, job_id: str) -> Job:
        """Queue a job that failed or was cancelled once more: its errors, its end and the wish to
        end it are forgotten. Any other job stays as it is. Raises NotFound, and Conflict where
        another job of the same kind and bundle is unfinished."""


class Leases(Protocol):
    """Who alone may do something for a while: a lock that outlives nobody.

    No two clocks are compared. A lease of another holder has run out when this store object has
    seen it unchanged for as long as it was taken for, so whoever wants it keeps asking.
    """

    def take_lease(self, name: str, holder: str, seconds: float, renewed: bool = False) -> bool:
        """Take a lease that is free or has run out, or renew one's own; False while another holder
        has it. One that is to be `renewed` has to be there, and one's own still: where another one
        held it meanwhile, it may be free again. Renew it well before it runs out."""

    def drop_lease(self, name: str, holder: str) -> None:
        """Give one's own lease back; anybody else's stays."""

    def lease_is_free(self, name: str) -> bool:
        """Whether nobody holds a lease, or it has run out as this store object has seen it."""


def updated(job: Job, changes: JobChanges) -> Job:
    """The job with what is given, and a heartbeat; see Jobs.update_job."""
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
    """The job with the wish to end it; see Jobs.request_cancel."""
    return job if job.finished else replace(job, cancel_requested=True)


def reopened(job: Job) -> Job:
    """The job queued once more; see Jobs.reopen_job. Its steps begin anew: what a comparison said
    may be of days ago."""
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
    """What to say of an id that no job has."""
    return NotFound(f"There is no job {job_id}; `ticketing jobs` lists those there are.")


def known_job(store: Jobs, job_id: str) -> Job:
    """The job of an id. Raises NotFound."""
    job = store.get_job(job_id)
    if job is None:
        raise no_job(job_id)
    return job


def all_jobs(store: Jobs) -> list[Job]:
    """Every job there is, newest first."""
    return store.jobs(limit=100_000)


def unreadable(job_id: str) -> StoreError:
    """What to say of a record that cannot be read."""
    return StoreError(f"The record of job {job_id} in the store is damaged; see `ticketing check`.")


def another_job(job: Job) -> Conflict:
    """What to say of a job that another one stands in the way of."""
    return Conflict(
        f"Another {job.kind} job is under way; wait for its end, or cancel it, then retry {job.id}."
    )


@dataclass(frozen=True)
class Lease:
    """Who holds a lease, for how many seconds; each renewal has a `turn` of its own."""

    holder: str
    seconds: float
    turn: int


class SeenLeases:
    """The leases of others that were seen here, and since when they are unchanged."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[Lease, float]] = {}

    def next(self, name: str, found: Lease | None, holder: str, seconds: float) -> Lease | None:
        """The lease that the holder may write in the place of the one found; None for none."""
        if found and found.holder != holder and not self.has_run_out(name, found):
            return None
        return Lease(holder, seconds, found.turn + 1 if found else 0)

    def has_run_out(self, name: str, lease: Lease) -> bool:
        """Whether a lease was seen unchanged for as long as it was taken for."""
        seen, since = self._seen.get(name, (None, 0.0))
        if seen != lease:
            self._seen[name] = lease, (since := monotonic())
        return monotonic() - since >= lease.seconds
