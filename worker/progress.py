"""Progress of a job: rate, remaining time, and time without a sign of life."""

from datetime import datetime

from ticketing.files import Json
from ticketing.jobs import Job, JobKind, JobState, Step
from ticketing.plurals import counted
from ticketing.times import utc_now

UNITS = {
    JobKind.REINDEX: "ticket",
    JobKind.TRAINING: "epoch",
    JobKind.EVALUATION: "step",
    JobKind.IMPORT: "row",
    JobKind.PROMOTION: "bundle",
}
"""The unit of each kind of job's count."""


def silent_for(job: Job) -> float:
    """Seconds since a worker last updated the job, or since it was created.

    A heartbeat in the future comes from a wrong clock and counts like one equally long ago.
    """
    return abs((utc_now() - (job.heartbeat or job.created)).total_seconds())


SINCE = "since"
"""Key in a job's `result`: how much was done, and when, when the job was last published or begun or
when its step began. The rate is measured from there."""


def taken_up(job: Job, done: int) -> Json:
    """The addition to `result` of a job that is published with this much done, possibly again."""
    if not (done or job.started or job.attempts):
        return {}
    return from_now(done)


def from_now(done: int) -> Json:
    """The addition to `result` of a job whose rate is measured from now on."""
    return {SINCE: {"done": done, "time": utc_now().isoformat()}}


def rate(job: Job) -> float:
    """Items per second since the job came to its step, up to its last heartbeat; 0 before the first
    one and within the first second, and from a comparison on, since that counts no items."""
    if not job.started or not job.heartbeat or job.step in (Step.COMPARING, Step.PROMOTING):
        return 0.0
    begun, before = job.started, 0
    if since := job.result.get(SINCE):
        begun, before = max(begun, datetime.fromisoformat(since["time"])), since["done"]
    seconds = ((job.finished or job.heartbeat) - begun).total_seconds()
    return max(0, job.done - before) / seconds if seconds >= 1 else 0.0


def seconds_left(job: Job) -> float | None:
    """Estimated seconds until the job is done, or None if unknown. For a training: until its
    current step is done, since the length of later steps is unknown."""
    speed = rate(job)
    return (job.total - job.done - len(job.errors)) / speed if speed else None


def summary(job: Job) -> str:
    """One line: kind, state, done of total, rate, estimate, number of errors, message."""
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
