"""Celery's beat beside the workers: it begins a training when the desk's schedule says so.

Each `ticketing work` has one, and the one that holds the lease acts. The schedule is a record in
the store, read anew each time; the training's job is made before the schedule is marked as begun,
and asking for it twice gives the same job, so that a beat that is killed in between loses nothing.
"""

import logging
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from celery import Celery
from celery.beat import Scheduler, Service

from ticketing.desk import Desk
from ticketing.desk.leases import HeldLease
from ticketing.errors import NotReady
from ticketing.jobs import Job
from ticketing.times import utc_now
from worker.jobs import is_another_training, start_training
from worker.workplace import Workplace

log = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
"""How often the schedule is read; three times in the life of a lease."""

WAKE_SECONDS = 0.5
"""How long beat sleeps, and may take to end."""

BY = "schedule"
"""Who asked for a training that the schedule began."""


class StoreScheduler(Scheduler):
    """Has no entries of Celery's own: whenever it is time it looks at the store."""

    def __init__(self, look: Callable[[], None], *args: Any, **options: Any):
        self._look = look
        self._next = 0.0
        super().__init__(*args, **options)

    def setup_schedule(self) -> None:
        """There is nothing to set up."""

    def tick(self, *_: Any, **__: Any) -> float:
        """Look, if it is time; gives the seconds to sleep."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LOOK_SECONDS
            self._look()
        return WAKE_SECONDS


def run_beat(app: Celery, place: Workplace) -> int:
    """Keep the desk's schedule until Ctrl-C or SIGTERM; it waits for store and broker."""
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
    """Begin the training that is due by the desk's schedule; None where none is, or while another
    training is under way, after which it is begun.

    Raises BrokerAway and StoreAway; whoever asks again later begins it then.
    """
    schedule = desk.schedule()
    if schedule.since and schedule.since > now:  # a clock was ahead when it was kept
        desk.whole.set_schedule(replace(schedule, since=now), schedule)
        return None
    why = schedule.due(now, desk.whole.count_judgments() if schedule.judgments else 0)
    if not why:
        return None
    try:
        arguments = desk.training_arguments(promotion=schedule.promotion)
        if any(is_another_training(job, arguments) for job in desk.whole.unfinished_jobs()):
            return None  # which gives way to people alone
        job = start_training(desk, app, arguments, by=BY)
    except NotReady:
        return None
    if job.attempts:  # it was begun before, and learns from what was there then
        return None
    desk.whole.update_job(job.id, log=f"begun since {why}")
    desk.schedule_began(now)
    return job
