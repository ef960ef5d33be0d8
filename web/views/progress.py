"""Progress of a job in the figures that the page and the API show."""

from dataclasses import dataclass

from ticketing.jobs import Job, JobState
from web.context import worker_lives
from worker.jobs import SILENT_SECONDS
from worker.progress import rate, seconds_left, silent_for
from worker.publishing import queue_of


@dataclass(frozen=True)
class Progress:
    """Percentage done, items per second, seconds left, and whether a worker seems to be missing.

    `rate` is 0 before anything is done; `seconds_left` is None then, at the end, and while no
    worker is there.
    """

    percent: float
    rate: float
    seconds_left: float | None
    stalled: bool


def progress(job: Job) -> Progress:
    """Progress at the job's last heartbeat.

    The clock of another machine may be wrong, so silence alone does not mean a missing worker.
    """
    at_work = job.state in (JobState.QUEUED, JobState.RUNNING)  # nobody works on a waiting job
    silent = at_work and silent_for(job) > SILENT_SECONDS
    stalled = silent and not worker_lives(queue_of(job.kind))
    return Progress(
        percent=100 * job.done / job.total if job.total else 100.0 * (job.state == JobState.DONE),
        rate=rate(job),
        seconds_left=seconds_left(job) if at_work and not stalled else None,
        stalled=stalled,
    )


def in_words(seconds: float) -> str:
    """A duration in words: `1 s` at least, `3 min`, `1 h 20 min`."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
