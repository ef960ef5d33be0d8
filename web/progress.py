"""Rate and estimate of a job, from its record alone."""

from dataclasses import dataclass

from ticketing.tickets import Job

UNFINISHED = ("queued", "running")


@dataclass(frozen=True)
class Progress:
    """How far a job is: percent done, tickets a second, and seconds left (None: not known)."""

    percent: float
    rate: float | None
    seconds_left: float | None


def progress(job: Job) -> Progress:
    """Progress at the job's last sign of life (its end, for a finished one)."""
    percent = 100 * job.done / job.total if job.total else 100.0 * (job.state == "done")
    latest = job.finished or job.heartbeat
    seconds = (latest - job.started).total_seconds() if job.started and latest else 0.0
    rate = job.done / seconds if seconds > 0 and job.done else None
    running = job.state == "running" and rate is not None
    return Progress(percent, rate, (job.total - job.done) / rate if running else None)


def in_words(seconds: float | None) -> str:
    """A duration as people say it: `12 s`, `3 min`, `1 h 20 min`; empty for None."""
    if seconds is None:
        return ""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
