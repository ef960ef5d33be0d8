"""How far a job is: its rate, what is left, and since when nobody works on it."""

from datetime import datetime

from ticketing.files import Json
from ticketing.jobs import Job, JobKind, JobState
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


SINCE = "since"
"""The part of a job's `result` that says how much was done already when it was last published, was
begun, came to another step or began its step anew, and when that was: no pace comes of either."""


def taken_up(job: Job, done: int) -> Json:
    """What `result` has besides of a job that is published with so much done, or once more."""
    if not (done or job.started or job.attempts):
        return {}
    return from_now(done)


def from_now(done: int) -> Json:
    """What `result` has besides of a job whose pace is measured from here on."""
    return {SINCE: {"done": done, "time": utc_now().isoformat()}}


def rate(job: Job) -> float:
    """What is done in a second, from when the job last came to its step until its last heartbeat; 0
    before there is any, and for less than a second."""
    if not job.started or not job.heartbeat:
        return 0.0
    begun, before = job.started, 0
    if since := job.result.get(SINCE):
        begun, before = max(begun, datetime.fromisoformat(since["time"])), since["done"]
    seconds = ((job.finished or job.heartbeat) - begun).total_seconds()
    return max(0, job.done - before) / seconds if seconds >= 1 else 0.0


def seconds_left(job: Job) -> float | None:
    """Estimate until the job is done, of a training until its step is, whose others are not known;
    None while nothing is known."""
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
    waits = job.finished or job.state == JobState.WAITING
    if not waits and (left := seconds_left(job)) is not None:
        of = " of this step" if job.kind == JobKind.TRAINING else ""
        parts.append(f"{left:.0f} s left{of}")
    if job.cancel_requested and not job.finished:
        parts.append("to be cancelled")
    if job.errors:
        parts.append(f"{len(job.errors)} set aside")
    if job.message and job.message != job.state:
        parts.append(job.message)
    return ", ".join(parts)
