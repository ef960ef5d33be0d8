"""How far a job is: its rate, what is left, and since when nobody works on it."""

from ticketing.jobs import Job, JobKind
from ticketing.plurals import counted
from ticketing.times import utc_now

UNITS = {
    JobKind.REINDEX: "ticket",
    JobKind.TRAINING: "epoch",
    JobKind.EVALUATION: "step",
    JobKind.IMPORT: "row",
    JobKind.PROMOTION: "bundle",
}
"""What each kind of job counts."""


def silent_for(job: Job) -> float:
    """Seconds since anybody last worked on the job, or since it was made.

    A time to come was written by a clock that is wrong; it is as far from a sign of life as one
    that is past.
    """
    return abs((utc_now() - (job.heartbeat or job.created)).total_seconds())


def rate(job: Job) -> float:
    """Tickets a second from the job's start until its last heartbeat; 0 before there is any, and
    for less than a second: what was done before counts as done."""
    if not job.started or not job.heartbeat:
        return 0.0
    seconds = ((job.finished or job.heartbeat) - job.started).total_seconds()
    return job.done / seconds if seconds >= 1 else 0.0


def seconds_left(job: Job) -> float | None:
    """Estimate until the job is done, or None while nothing is known."""
    speed = rate(job)
    return (job.total - job.done - len(job.errors)) / speed if speed else None


def summary(job: Job) -> str:
    """One line: what, state, done of total, rate, estimate, number of errors, message."""
    parts = [f"{job.kind} {job.bundle_id}".rstrip() + f": {job.state}"]
    if job.step and not job.state.final:
        parts.append(job.step)
    if job.total:
        parts.append(f"{job.done:,} of {counted(job.total, UNITS[job.kind])}")
    if (speed := rate(job)) >= 1:
        parts.append(f"{speed:.0f} a second")
    if not job.finished and (left := seconds_left(job)) is not None:
        parts.append(f"{left:.0f} s left")
    if job.cancel_requested and not job.finished:
        parts.append("to be cancelled")
    if job.errors:
        parts.append(f"{len(job.errors)} set aside")
    if job.message and job.message != job.state:
        parts.append(job.message)
    return ", ".join(parts)
