"""A job that is interrupted in its first moments says so, and is left to whoever takes it up."""

import subprocess
import sys
from datetime import datetime, timedelta

import pytest

from tests.fake_desk import FakeDesk
from ticketing.desk import leases
from ticketing.desk.leases import HeldLease
from ticketing.jobs import JobKind, JobState, Step, Stopped
from ticketing.settings import Settings
from ticketing.stores import jobs as stores_jobs
from worker import jobs, progress
from worker.app import make_app
from worker.ending import Ending
from worker.jobs import lease_of
from worker.long_work import INTERRUPTED, AtWork, do_job
from worker.publishing import DO_JOB
from worker.tasks import register_tasks
from worker.workplace import Workplace

MODULES = "import sys, worker.long_work; print(*sys.modules)"


@pytest.fixture
def desk(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path), past_jobs=[])
    yield desk
    desk.close()


def test_a_job_that_is_interrupted_as_it_is_said_to_run_is_queued_again(desk, monkeypatch):
    app = make_app(desk.settings)
    job = desk.store.create_job(JobKind.IMPORT, "", 0, {"files": []}, "ann")
    update = desk.whole.update_job

    def interrupted(id, **changes):
        done = update(id, **changes)
        if changes.get("state") == JobState.RUNNING:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(desk.whole, "update_job", interrupted)
    with pytest.raises(KeyboardInterrupt):
        do_job(desk, app, job.id)
    left = desk.store.get_job(job.id)
    assert (left.state, left.log[-1].text) == (JobState.QUEUED, INTERRUPTED)


def test_a_worker_that_is_to_end_begins_no_job_that_it_would_hand_back(desk):
    """It took the message that it had just sent for whoever comes next, began the job and handed
    it back, fifty times in half a second: the page said "attempt 52", and the log nothing else."""
    place, app = Workplace(lambda: desk), make_app(desk.settings)
    register_tasks(app, place)
    job = desk.store.create_job(JobKind.IMPORT, "", 0, {"files": []}, "ann")
    place.ending.ask()
    assert app.tasks[DO_JOB].apply((job.id,)).state == "REJECTED"
    left = desk.store.get_job(job.id)
    assert (left.state, left.attempts, left.log) == (JobState.QUEUED, 0, ())


def test_who_stood_still_does_not_go_on_with_what_another_one_has_ended(desk):
    job = desk.store.create_job(JobKind.IMPORT, "", 0, {"files": []}, "ann")
    lease = HeldLease(desk.whole, lease_of(job.id))
    assert lease.take()
    work = AtWork(desk, job, lease, Ending())
    work.on_step(Step.READING)
    desk.store.update_job(job.id, state=JobState.DONE)
    work.beat()
    with pytest.raises(Stopped):
        work.on_step(Step.READING)


def test_a_job_that_was_taken_for_left_during_an_outage_is_said_to_run_again(desk, monkeypatch):
    """Its heartbeats and its lease were old when the store came back, and it was sent once more:
    the page said "queued" until it was done, hours later."""
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.0)
    monkeypatch.setattr(jobs, "silent_for", lambda job: 60.0)
    job = desk.store.create_job(JobKind.IMPORT, "", 0, {"files": []}, "ann")
    desk.store.update_job(job.id, state=JobState.RUNNING)
    lease = HeldLease(desk.whole, lease_of(job.id))
    assert lease.take()
    work = AtWork(desk, job, lease, Ending())
    assert [sent.state for sent in jobs.resume_jobs(desk, make_app(desk.settings))] == [
        JobState.QUEUED
    ]
    work.beat()
    assert desk.store.get_job(job.id).state == JobState.RUNNING


def test_what_is_left_is_told_by_the_step_that_is_under_way(desk, monkeypatch):
    """Half an hour of word vectors made ten epochs of 100 seconds last for hours, and epochs that
    were counted anew were told to take as long as all before."""
    clock = [datetime(2026, 11, 29, 12)]
    for module in (stores_jobs, progress):
        monkeypatch.setattr(module, "utc_now", lambda: clock[0])
    job = desk.store.create_job(JobKind.TRAINING, "", 0, {}, "ann")
    work = AtWork(desk, job, HeldLease(desk.whole, lease_of(job.id)), Ending())
    desk.store.update_job(job.id, state=JobState.RUNNING)
    for minutes, step, done in (0, Step.PRETRAINING, 0), (30, Step.TRAINING, 0):
        clock[0] += timedelta(minutes=minutes)
        work.on_step(step, done, 10)
    clock[0] += timedelta(seconds=100)
    work.on_step(Step.TRAINING, 1, 10, "epoch 1")
    assert progress.seconds_left(desk.store.get_job(job.id)) == 900
    for done in (9, 1, 2):  # it imitated a teacher, and then learned from labels
        clock[0] += timedelta(seconds=10)
        work.on_step(Step.TRAINING, done, 10, f"epoch {done}")
    assert progress.seconds_left(desk.store.get_job(job.id)) == 80


def test_a_lease_that_was_lost_is_not_found_again(desk, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.0)
    stands_still, another = HeldLease(desk.whole, "job x"), HeldLease(desk.whole, "job x")
    assert stands_still.take()
    monkeypatch.setattr(leases, "LEASE_SECONDS", 60.0)
    assert another.take()
    stands_still.renew()
    another.drop()
    stands_still.renew()
    assert stands_still.lost
    assert another.take(), "it is nobody's"


def test_a_lease_that_another_one_had_and_gave_back_is_lost(desk, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.0)
    stands_still, another = HeldLease(desk.whole, "job x"), HeldLease(desk.whole, "job x")
    assert stands_still.take()
    stands_still.renew()
    assert not stands_still.lost
    assert another.take()
    another.drop()
    stands_still.renew()
    assert stands_still.lost


def test_what_an_import_needs_is_loaded_before_it_is_said_to_run():
    """An interruption while a module is being loaded ends the process at once."""
    done = subprocess.run([sys.executable, "-c", MODULES], capture_output=True, text=True)
    assert {"ticketing.importing", "ticketing.tables"} <= set(done.stdout.split())
