"""The schedule begins trainings: when due, once, by one beat, also after times that were missed."""

from dataclasses import replace
from datetime import datetime, time, timedelta

import pytest

from tests.fake_desk import FakeDesk
from ticketing.desk.leases import HeldLease, Taken, held
from ticketing.desk.training import TRAINING
from ticketing.jobs import JobKind, JobState, Promotion
from ticketing.schedule import Schedule, Weekday
from ticketing.settings import Settings
from ticketing.tickets import Grade, Query
from ticketing.times import utc_now
from worker.app import make_app
from worker.beat import begin_if_due, run_beat
from worker.workplace import Workplace


@pytest.fixture
def desk(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path), past_jobs=[])
    yield desk
    desk.close()


@pytest.fixture
def app(desk):
    return make_app(desk.settings)


def test_nothing_begins_while_nothing_is_scheduled_or_due(desk, app):
    assert begin_if_due(desk, app, utc_now()) is None
    desk.set_schedule(Weekday.SUNDAY, time(3), 5, Promotion.RULE)
    assert begin_if_due(desk, app, utc_now()) is None
    assert desk.store.jobs() == []


def test_missed_times_begin_one_training(desk, app):
    desk.set_schedule(Weekday.SUNDAY, time(3), 0, Promotion.ASK)
    late = (utc_now() + timedelta(days=30)).replace(hour=12)  # not just before another is due
    job = begin_if_due(desk, app, late)
    assert (job.kind, job.by, job.arguments["promotion"]) == (JobKind.TRAINING, "schedule", "ask")
    assert "scheduled for Sunday, 03:00 UTC" in desk.store.get_job(job.id).log[-1].text
    desk.store.update_job(job.id, state=JobState.DONE)
    assert begin_if_due(desk, app, late + timedelta(minutes=1)) is None
    assert len(desk.store.jobs()) == 1


def test_enough_judgments_begin_a_training_and_count_anew(desk, app):
    desk.set_schedule(None, time(3), 2, Promotion.RULE)
    query = desk.store.put_query(Query("pump"))
    for grade in (Grade.YES, Grade.NO):
        desk.judge(query, "GT-0101", grade, "ann")
    assert begin_if_due(desk, app, utc_now())
    assert desk.new_judgments() == 0


def test_a_beat_killed_before_it_kept_what_began_begins_the_same_job(desk, app, monkeypatch):
    desk.set_schedule(Weekday.SUNDAY, time(3), 0, Promotion.RULE)
    late = utc_now() + timedelta(days=8)
    monkeypatch.setattr(desk, "schedule_began", lambda at: None)
    first, again = (begin_if_due(desk, app, late) for _ in range(2))
    assert first.id == again.id


def test_judgments_that_come_while_a_scheduled_training_runs_begin_another(desk, app):
    """It has read its labels by then."""
    desk.set_schedule(None, time(3), 2, Promotion.RULE)
    query = desk.store.put_query(Query("pump"))
    for grade in (Grade.YES, Grade.NO):
        desk.judge(query, "GT-0101", grade, "ann")
    first = begin_if_due(desk, app, utc_now())
    desk.store.update_job(first.id, state=JobState.RUNNING, attempts=1)
    for grade in (Grade.YES, Grade.NO):
        desk.judge(query, "GT-0102", grade, "ann")
    assert begin_if_due(desk, app, utc_now()) is None and desk.new_judgments() == 2
    desk.store.update_job(first.id, state=JobState.DONE)
    assert begin_if_due(desk, app, utc_now()).id != first.id


def test_a_desk_without_tickets_has_nothing_due(desk, app):
    desk.set_schedule(Weekday.SUNDAY, time(3), 0, Promotion.RULE)
    desk.delete_tickets([ticket.id for ticket in desk.store.iter_tickets()])
    assert begin_if_due(desk, app, utc_now() + timedelta(days=8)) is None


def test_a_training_under_way_is_waited_for(desk, app):
    desk.set_schedule(Weekday.SUNDAY, time(3), 0, Promotion.RULE)
    other = desk.store.create_job(JobKind.TRAINING, "", 0, {"before": "2013-01-01"}, "ann")
    desk.store.update_job(other.id, state=JobState.RUNNING)
    late = utc_now() + timedelta(days=8)
    assert begin_if_due(desk, app, late) is None
    desk.store.update_job(other.id, state=JobState.DONE)
    assert begin_if_due(desk, app, late)


def test_what_trains_beside_the_jobs_is_waited_for(desk, app):
    """Beside `ticketing tune` the scheduled training failed, and the next one came a week later."""
    desk.set_schedule(Weekday.SUNDAY, time(3), 0, Promotion.RULE)
    late = utc_now() + timedelta(days=8)
    with held(desk.whole, TRAINING, or_raise=Taken()):
        assert begin_if_due(desk, app, late) is None
    assert desk.store.jobs() == []
    assert begin_if_due(desk, app, late)


@pytest.mark.parametrize("kind", [JobKind.IMPORT, JobKind.EVALUATION])
def test_long_work_before_it_is_waited_for(desk, app, kind):
    """The training waited in the queue behind a long import. Meanwhile somebody began to tune, so
    it failed at its turn, and the next one came a week later."""
    desk.set_schedule(Weekday.SUNDAY, time(3), 0, Promotion.RULE)
    encoding, other = (desk.store.create_job(kind, "", 0) for kind in (JobKind.REINDEX, kind))
    late = utc_now() + timedelta(days=8)
    assert begin_if_due(desk, app, late) is None
    assert desk.store.unfinished_jobs() == [other, encoding]
    desk.store.update_job(other.id, state=JobState.DONE)
    assert begin_if_due(desk, app, late)


def test_a_training_that_somebody_asked_for_gives_way_to_no_schedule(desk, app):
    """Where no worker for it was there yet, it was cancelled."""
    desk.set_schedule(Weekday.SUNDAY, time(3), 0, Promotion.RULE)
    asked = desk.store.create_job(JobKind.TRAINING, "", 0, {"before": "2013-01-01"}, "ann")
    desk.store.put_job(replace(asked, heartbeat=utc_now() - timedelta(hours=1)))
    assert begin_if_due(desk, app, utc_now() + timedelta(days=8)) is None
    assert desk.store.get_job(asked.id).state == JobState.QUEUED


def test_a_clock_that_was_ahead_does_not_stop_the_schedule(desk, app):
    desk.set_schedule(Weekday.SUNDAY, time(3), 0, Promotion.RULE)
    desk.schedule_began(utc_now() + timedelta(days=3000))
    assert begin_if_due(desk, app, utc_now()) is None
    assert begin_if_due(desk, app, utc_now() + timedelta(days=8))


def test_clocks_that_differ_by_minutes_begin_one_training(desk, app):
    """The machine behind took the time of the other for wrong, and began the week's training again
    when it came to that time itself."""
    sunday = datetime(2040, 1, 1, 3)
    desk.whole.set_schedule(Schedule(Weekday.SUNDAY, since=datetime(2039, 12, 27)), Schedule())
    job = begin_if_due(desk, app, sunday)
    desk.store.update_job(job.id, state=JobState.DONE)
    for minutes in (-5, 0, 5):
        assert begin_if_due(desk, app, sunday + timedelta(minutes=minutes)) is None
    assert begin_if_due(desk, app, sunday + timedelta(days=7))


def beat_once(desk, app, monkeypatch):
    """Let beat look once, as the process of a worker does."""
    monkeypatch.setattr("signal.signal", lambda *_: None)
    place = Workplace(lambda: desk)
    monkeypatch.setattr("worker.beat.WAKE_SECONDS", 0.01)

    def ended(self) -> bool:
        raise SystemExit  # Celery's service ends with it

    monkeypatch.setattr("worker.beat.StoreScheduler.should_sync", ended)
    return run_beat(app, place)


def test_one_beat_wins(desk, app, monkeypatch):
    desk.set_schedule(Weekday.SUNDAY, time(3), 0, Promotion.RULE)
    desk.schedule_began(utc_now() - timedelta(days=8))
    other = HeldLease(desk.whole, "beat")
    assert other.take()
    assert beat_once(desk, app, monkeypatch) == 0
    assert desk.store.jobs() == []
    other.drop()
    assert beat_once(desk, app, monkeypatch) == 0
    assert [job.by for job in desk.store.jobs()] == ["schedule"]
