"""Two workers and one schedule: a training that is due begins once, and when the beat that begins
them is killed with its worker, the other worker's takes over."""

import logging
from datetime import timedelta

import pytest

from tests.live.encoding_desk import DigestDesk, wait_until, workers
from ticketing.desk import leases
from ticketing.jobs import JobKind, JobState
from ticketing.schedule import Schedule, Weekday
from ticketing.tickets import Ticket
from ticketing.times import utc_now
from worker import beat

pytestmark = pytest.mark.worker


def soon(app):
    """The schedule is looked at often, and a dead beat's lease runs out soon."""
    leases.LEASE_SECONDS, beat.LOOK_SECONDS = 3.0, 0.2
    logging.getLogger("worker.beat").setLevel("INFO")


@pytest.fixture(params=["files", pytest.param("redis", marks=pytest.mark.redis)])
def desk(request, tmp_path, monkeypatch):
    if request.param == "redis":
        monkeypatch.setenv("TICKETING_BROKER", request.getfixturevalue("redis_url"))
    desk = DigestDesk(tmp_path)
    desk.store.put_tickets([Ticket("T-1", "pump leaks")])
    yield desk
    desk.close()


def begun(desk):
    """The next training that the schedule begins, ended; nobody does it here."""
    missed = Schedule(Weekday.SUNDAY, since=utc_now() - timedelta(days=8))
    assert desk.store.set_schedule(missed, desk.schedule())
    [job] = wait_until(desk.store.unfinished_jobs)
    wait_until(lambda: desk.schedule().since > missed.since)
    assert (job.kind, job.by) == (JobKind.TRAINING, "schedule")
    return desk.store.update_job(job.id, state=JobState.CANCELLED).id


def test_what_is_due_begins_once_and_the_other_beat_takes_over(desk):
    with workers(desk.settings.home, DigestDesk) as start:
        both = [start(set_up=soon) for _ in range(2)]
        logs = [desk.settings.home / f"worker{number}.log" for number in range(2)]
        ids = [begun(desk)]
        [owner] = wait_until(lambda: [n for n in range(2) if ids[0] in logs[n].read_text()])
        both[owner].kill()
        both[owner].join()
        ids.append(begun(desk))
        wait_until(lambda: ids[-1] in logs[1 - owner].read_text())
    assert {job.id for job in desk.store.jobs()} == set(ids)
    assert sum(log.read_text().count("began training") for log in logs) == len(set(ids)) == 2
