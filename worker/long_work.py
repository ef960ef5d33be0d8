"""Long jobs, each one message: training, evaluation, import.

The worker that takes the message holds the job's lease, keeps its heartbeat fresh, records
progress, and stops at the next checkpoint when requested.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from celery import Celery

from ticketing.desk import Desk
from ticketing.desk.leases import HeldLease, Taken, held
from ticketing.desk.long_work import do
from ticketing.errors import StoreAway, TicketingError
from ticketing.files import Json
from ticketing.jobs import Job, JobKind, JobState, Promotion, Step, Stopped
from ticketing.plurals import counted
from ticketing.repeating import repeating
from ticketing.stores.jobs import JobChanges
from ticketing.times import MEND_DATES
from worker.ending import Ending
from worker.jobs import cancelled, lease_of, start_reindex
from worker.progress import from_now, taken_up
from worker.publishing import finish, publish
from worker.working import BEAT_SECONDS, failing, wanted

Found = TypeVar("Found")

AGAIN_SECONDS = 1.0
"""Seconds between attempts to reach a store that is away for results that must not be lost."""

STORED_BEFORE = "Rows that an interrupted try had stored may count as unchanged."
"""Log message of a restarted import: it is unknown how much of an interrupted page was stored."""

INTERRUPTED = "interrupted; whoever takes it up goes on"


def do_job(desk: Desk, app: Celery, job_id: str, ending: Ending | None = None) -> None:
    """Do a whole job, from where it stopped. Only one process does it; others that get the same
    message ignore it.

    Raises StoreAway (the work may be repeated); any other failure ends the job in state failed.
    """
    if wanted(desk, job_id) is None:
        return
    with (
        failing(desk, job_id),
        suppress(Taken),
        held(desk.whole, lease_of(job_id), or_raise=Taken()) as lease,
    ):
        job = wanted(desk, job_id)
        if job:
            _do(desk, app, job, lease, ending or Ending())


def _do(desk: Desk, app: Celery, job: Job, lease: HeldLease, ending: Ending) -> None:
    attempt = job.attempts + 1
    begun = "begun" if attempt == 1 else f"begun again, attempt {attempt}"
    try:
        job = desk.whole.update_job(
            job.id,
            state=JobState.RUNNING,
            attempts=attempt,
            log=begun,
            result=taken_up(job, job.done),
        )
        with at_work(desk, job, lease, ending) as work:
            result = do(desk, job, work.on_step)
            work.beat()
            now = _until_back(lambda: desk.whole.update_job(job.id, result=result), ending)
            _end(desk, app, now, result)
    except (Stopped, KeyboardInterrupt) as why:
        _stop(desk, app, job, lease)
        if isinstance(why, KeyboardInterrupt):
            raise


def _end(desk: Desk, app: Celery, job: Job, result: Json) -> None:
    """Do what follows from a result, and end the job.

    Raises Stopped for a training that is to be cancelled, since a reindex would follow; other work
    is already done.
    """
    if job.kind == JobKind.TRAINING:
        if job.cancel_requested:
            raise Stopped
        desk.drop_vectors(job)
        promotion = Promotion(job.arguments.get("promotion", Promotion.RULE))
        if promotion != Promotion.NEVER:
            reindex = start_reindex(desk, app, result["bundle"], promotion, job.by)
            desk.whole.update_job(job.id, result={"reindex": reindex.id})
    finish(desk, job, said_of(job, result))


def said_of(job: Job, result: Json) -> str:
    """One or two sentences about what a finished job has changed."""
    if job.kind == JobKind.TRAINING:
        return f"Bundle {result['bundle']} is trained."
    if job.kind == JobKind.EVALUATION:
        return f"Bundle {result['bundle']} is measured."
    check_only = job.arguments.get("check_only")
    said = (
        f"{counted(result['added'], 'ticket')} {'would be ' if check_only else ''}added,"
        f" {result['changed']:,} changed, {result['unchanged']:,} unchanged,"
        f" {counted(result['rejected'], 'row')} rejected."
    )
    if check_only:
        said += " Nothing is stored: this was a check only."
    if to_come := result.get("to_come"):
        said += f" {counted(to_come, 'ticket')} dated after tomorrow; {MEND_DATES}"
    return said if job.attempts < 2 or check_only else f"{said} {STORED_BEFORE}"


def _stop(desk: Desk, app: Celery, job: Job, lease: HeldLease) -> None:
    """End a job that is to be cancelled; leave any other to the next worker."""
    with suppress(TicketingError):  # it is resumed anyway when silent
        now = desk.whole.get_job(job.id)
        if now is None or now.finished:
            return
        if now.cancel_requested:
            cancelled(desk, now)
        elif not lease.lost:
            queued = desk.whole.update_job(job.id, state=JobState.QUEUED, log=INTERRUPTED)
            publish(desk, app, queued)


def _until_back(do: Callable[[], Found], ending: Ending) -> Found:
    """Repeat `do` while the store is away, since hours of work depend on it."""
    while True:
        try:
            return do()
        except StoreAway:
            if ending.asked:
                raise
            time.sleep(AGAIN_SECONDS)


class AtWork:
    """A job that this process does: its progress, and whether to continue."""

    def __init__(self, desk: Desk, job: Job, lease: HeldLease, ending: Ending):
        self._store = desk.whole
        self._job = job
        self._lease = lease
        self._ending = ending
        self._step = Step.READING
        self._done, self._total = job.done, job.total

    def on_step(self, step: Step, done: int = 0, total: int = 0, said: str = "") -> None:
        """Record progress. Raises Stopped if the work is to end."""
        done_by_others = self._lease.lost or self._job.finished
        if done_by_others or self._ending.asked or self._job.cancel_requested:
            raise Stopped
        new, anew = step != self._step, done < self._done
        self._step, self._done, self._total = step, done, total
        if new or anew:
            self.beat(said or step, from_now(done))
        elif said:
            self.beat(said)

    def beat(self, log: str = "", result: Json | None = None) -> None:
        """Store the progress and heartbeat, and check whether the job is to end."""
        with suppress(StoreAway):  # the work goes on as long as it can
            changes: JobChanges = {
                "state": JobState.RUNNING,  # during an outage others may have queued it again
                "step": self._step,
                "done": self._done,
                "total": self._total,
            }
            if log:
                changes["log"] = log
            if result:
                changes["result"] = result
            self._job = self._store.update_job(self._job.id, **changes)


@contextmanager
def at_work(desk: Desk, job: Job, lease: HeldLease, ending: Ending) -> Iterator[AtWork]:
    """Context manager: send heartbeats while the block works on a job."""
    work = AtWork(desk, job, lease, ending)
    with repeating(work.beat, BEAT_SECONDS):
        yield work
