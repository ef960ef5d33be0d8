"""Follows a job from the command line to its end, and does it here if no worker runs."""

import sys
import time
from dataclasses import replace
from inspect import signature

from celery import Celery
from kombu import Queue
from tqdm import tqdm

from ticketing.cli.actor import command_line
from ticketing.cli.printing import say
from ticketing.desk import Desk
from ticketing.errors import BrokerAway, BundleAway, StoreAway, TicketingError
from ticketing.files import Json
from ticketing.jobs import Job, JobKind, JobState
from ticketing.stores.jobs import known_job
from worker.connection import connected
from worker.discarding import UNREADABLE, discarded
from worker.jobs import resume_jobs, start_reindex
from worker.presence import NO_WORKER, workers_live
from worker.progress import UNITS, silent_for, summary
from worker.publishing import queue_of
from worker.tasks import TASKS, give_up
from worker.working import BEAT_SECONDS

POLL_SECONDS = 0.3
PICK_UP_SECONDS = 2.0
"""How long a queued job waits for a worker before this process does the work itself."""

PATIENCE_SECONDS = 15.0
"""How long a job may be silent before a missing worker is reported."""


def encode_and_promote(desk: Desk, app: Celery, bundle_id: str) -> None:
    """Encode all tickets with a bundle, show the progress, and let the bundle serve unless it loses
    to the serving one. Raises TicketingError if the job fails."""
    job = start_reindex(desk, app, bundle_id, by=command_line().name)
    show_end(follow(desk, app, job))


def detached(job: Job) -> str:
    """The message for a job that is left to the workers."""
    return f"Job {job.id} is {job.state}; `ticketing jobs {job.id}` shows it."


def show_end(job: Job) -> None:
    """Print the result of a job. Raises TicketingError if it failed."""
    if job.state == JobState.FAILED:
        at = f" at {job.done} of {job.total}" if job.total else ""
        raise TicketingError(f"The {job.kind} failed{at}: {job.message}")
    if job.kind == JobKind.REINDEX or job.state != JobState.DONE:
        say(summary(replace(job, message="")))
    for id, error in job.errors.items():
        say(f"  set aside: {id}: {error}")
    if job.state in (JobState.DONE, JobState.WAITING) and job.message:
        say(job.message)
    if job.state == JobState.WAITING:
        say(f"`ticketing jobs {job.id} --yes` lets it serve; --no leaves the one that serves now.")


def follow(desk: Desk, app: Celery, job: Job) -> Job:
    """Show a job's progress until it has finished or waits for an answer; Ctrl-C leaves it to the
    worker.

    With SQLite and the file broker, this process does waiting work if no worker does, including
    other jobs; it waits for a store that is away. Raises NotFound if the job's record is gone, for
    example after a restore.
    """
    shown = {""}
    alone = False
    queue = queue_of(job.kind)
    try:
        with tqdm(total=job.total, initial=job.done, unit=f" {UNITS[job.kind]}s") as bar:
            while not (job.finished or job.state == JobState.WAITING):
                try:
                    if not (alone and do_waiting(desk, app, queue)):
                        time.sleep(POLL_SECONDS)
                    job = known_job(desk.whole, job.id)
                    alone = alone or _is_left_alone(desk, app, job)
                    notice = NO_WORKER if not alone and _lacks_worker(app, job) else ""
                except (BrokerAway, StoreAway) as error:
                    notice = f"{error} The job goes on when it is back."
                if notice not in shown:
                    bar.write(notice, sys.stderr)
                    shown.add(notice)
                bar.total = job.total
                bar.set_description_str(job.step.capitalize(), refresh=False)
                bar.update(job.done - bar.n)
    except KeyboardInterrupt:
        if alone or not (desk.settings.broker or workers_live(app, queue)):
            raise
        raise TicketingError(
            "The worker goes on; `ticketing jobs` shows it,"
            f" `ticketing jobs {job.id} --cancel` ends it."
        ) from None
    return job


def interrupted_training(desk: Desk, app: Celery, arguments: Json) -> Job | None:
    """The last training, if these were its arguments, it has made its bundle, and nobody is there
    to encode the tickets with that. Raises BrokerAway."""
    last = next(iter(desk.whole.jobs(1, JobKind.TRAINING)), None)
    if last is None or last.arguments != arguments:
        return None
    reindex = desk.whole.get_job(last.result.get("reindex", ""))
    if reindex is None or reindex.cancel_requested:
        return None
    left = reindex.state in (JobState.QUEUED, JobState.RUNNING)
    return last if left and not workers_live(app) else None


def _is_left_alone(desk: Desk, app: Celery, job: Job) -> bool:
    """Whether this process is to do the work: the broker is files, and no worker seems to be there.
    A working one is never silent for long."""
    patience = PICK_UP_SECONDS if job.state == JobState.QUEUED else BEAT_SECONDS + 1
    if desk.settings.broker or silent_for(job) <= patience:
        return False
    return not workers_live(app, queue_of(job.kind))


def _lacks_worker(app: Celery, job: Job) -> bool:
    """Whether a missing worker is to be reported."""
    return silent_for(job) > PATIENCE_SECONDS and not workers_live(app, queue_of(job.kind))


def do_waiting(desk: Desk, app: Celery, queue: str) -> bool:
    """Do the first waiting work of a queue as a worker would; False if nothing waits.

    Then jobs whose messages were lost with a worker are published again.
    """
    with connected(app) as connection:
        message = Queue(queue, channel=connection.default_channel).get(no_ack=True)
    if message is None:
        resume_jobs(desk, app)
        return False
    try:
        do = TASKS[message.headers["task"]]
        arguments, *_ = message.payload
        signature(do).bind(desk, app, *arguments)
    except UNREADABLE as error:
        discarded(queue, error)
    else:
        try:
            do(desk, app, *arguments)
        except BundleAway as error:  # no other machine could have it
            give_up(desk, app, arguments[0], desk.settings.without_home(str(error)))
    return True
