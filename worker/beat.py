"""A Celery beat process that starts a training when the desk's schedule says so.

Each `ticketing work` has one, and the one that holds the lease acts. The schedule is a record in
the store, read anew each time. The training's job is created before the schedule is updated, and a
repeated request returns the same job, so a beat that is killed in between loses nothing.
"""

import logging
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from celery import Celery
from celery.beat import Scheduler, Service

from ticketing.desk import Desk
from ticketing.desk.leases import HeldLease
from ticketing.desk.training import TRAINING
from ticketing.errors import NotReady
from ticketing.files import Json
from ticketing.jobs import Job, JobKind
from ticketing.times import utc_now
from worker.jobs import is_another_training, start_training
from worker.publishing import queue_of
from worker.queues import LONG_QUEUE
from worker.workplace import Workplace

log = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
"""Seconds between two looks at the schedule; three times in the life of a lease."""

WAKE_SECONDS = 0.5
"""How long beat sleeps, and the longest it may take to end."""

APART = timedelta(hours=1)
"""The most that clocks of machines may differ: a training started by one machine is not started
again by another whose clock is a little behind."""

BY = "schedule"
"""Who started a scheduled training, as its job says."""


class StoreScheduler(Scheduler):
    """A scheduler without Celery entries: it looks at the store instead."""

    def __init__(self, look: Callable[[], None], *args: Any, **options: Any):
        self._look = look
        self._next = 0.0
        super().__init__(*args, **options)

    def setup_schedule(self) -> None:
        """Does nothing."""

    def tick(self, *_: Any, **__: Any) -> float:
        """Look at the schedule when it is time; returns the seconds to sleep."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LOOK_SECONDS
            self._look()
        return WAKE_SECONDS


def run_beat(app: Celery, place: Workplace) -> int:
    """Run until Ctrl-C or SIGTERM; waits for store and broker."""
    leases: list[HeldLease] = []

    def look() -> None:
        with place.tolerating("keep the schedule"):
            if not leases:
                leases.append(HeldLease(place.desk.whole, "beat"))
            ours = leases[0].take()
            place.room.over()  # where that could be written
            if ours and (job := begin_if_due(place.desk, app, utc_now())):
                log.info("the schedule began training %s", job.id)

    scheduler: Any = partial(StoreScheduler, look)  # Celery only calls it
    service = Service(app, scheduler_cls=scheduler)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: service.stop())
    if not place.ending.asked:
        service.start()
    return 0


def begin_if_due(desk: Desk, app: Celery, now: datetime) -> Job | None:
    """Start the training that is due by the desk's schedule. Returns None if none is due, or while
    other long work or `ticketing tune` is under way; it is then started afterwards.

    Raises BrokerAway and StoreAway; a later call then starts the training.
    """
    schedule = desk.schedule()
    if schedule.since and schedule.since > now + APART:  # it was written by a wrong clock
        desk.whole.set_schedule(replace(schedule, since=now), schedule)
        return None
    why = schedule.due(now, desk.whole.count_judgments() if schedule.judgments else 0)
    if not (why and desk.whole.lease_is_free(TRAINING)):
        return None
    try:
        arguments = desk.training_arguments(promotion=schedule.promotion)
        if any(_goes_first(job, arguments) for job in desk.whole.unfinished_jobs()):
            return None
        job = start_training(desk, app, arguments, by=BY)
    except NotReady:
        return None
    if job.attempts:  # it has started before, with the data of then
        return None
    desk.whole.update_job(job.id, log=f"begun since {why}")
    desk.schedule_began(now)
    return job


def _goes_first(job: Job, arguments: Json) -> bool:
    """Whether a scheduled training waits for a job: a training of other arguments, or other work of
    its queue, during which people may begin to tune, so that it would fail in the end."""
    same = job.kind == JobKind.TRAINING and not is_another_training(job, arguments)
    return queue_of(job.kind) == LONG_QUEUE and not same
