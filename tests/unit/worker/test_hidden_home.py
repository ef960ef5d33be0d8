"""What is said of jobs and models does not tell where the home is."""

import pytest
from celery.exceptions import Reject

from tests.fake_desk import FakeDesk
from tests.people import signed_in
from ticketing.errors import BundleAway
from ticketing.jobs import JobKind, JobState
from ticketing.people import Role
from ticketing.settings import Settings
from ticketing.tickets import Ticket
from worker import handing_back, long_work
from worker.app import make_app
from worker.follow import do_waiting
from worker.jobs import start_reindex
from worker.long_work import do_job
from worker.queues import QUEUE
from worker.tasks import encode_or_set_aside


@pytest.fixture
def desk(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path / "home"), past_jobs=[])
    yield desk
    desk.close()


@pytest.fixture
def denied(desk):
    """The system's own words, which name a file of the home."""
    return PermissionError(13, "Permission denied", str(desk.settings.home / "models" / "x"))


def told_of(desk, job_id: str) -> list[str]:
    """All that an engineer can read of a job."""
    eve = signed_in(desk, "eve", Role.ENGINEER)
    places = (f"/api/jobs/{job_id}", "/api/jobs", f"/jobs/{job_id}", "/jobs")
    return [eve.get(place).get_data(as_text=True) for place in places]


def test_a_job_that_failed_says_why_without_the_home_and_the_log_says_all(
    desk, denied, monkeypatch, caplog
):
    def fail(*_):
        raise denied

    monkeypatch.setattr(long_work, "do", fail)
    job = desk.store.create_job(JobKind.EVALUATION, "", 0, desk.evaluation_arguments())
    do_job(desk, make_app(desk.settings), job.id)
    failed = desk.store.get_job(job.id)
    assert failed.state == JobState.FAILED
    assert failed.message == "PermissionError: [Errno 13] Permission denied: 'models/x'"
    assert failed.log[-1].text == failed.message
    for told in told_of(desk, job.id):
        assert "Permission denied" in told and str(desk.settings.home) not in told
    assert str(denied) in caplog.text


def test_a_ticket_that_is_set_aside_says_why_without_the_home(desk, denied, monkeypatch):
    def encode(bundle_id, tickets, tokens):
        if any(ticket.id == "odd" for ticket in tickets):
            raise denied
        return []

    monkeypatch.setattr(desk, "encode", encode)
    tickets = [Ticket("odd", "Pump"), Ticket("even", "Pump")]
    _, errors = encode_or_set_aside(desk, "B", tickets, {})
    assert errors == {"odd": "PermissionError: [Errno 13] Permission denied: 'models/x'"}


@pytest.mark.parametrize("live", [{"ticketing@me"}, set()], ids=["it fails", "it goes back"])
def test_work_that_is_handed_back_says_why_without_the_home(desk, monkeypatch, live):
    monkeypatch.setattr(handing_back, "HELD_SECONDS", 0.0)
    monkeypatch.setattr(handing_back, "live_workers", lambda *_: live)
    job = desk.store.create_job(JobKind.REINDEX, "B", 12, {}, "ann")
    away = BundleAway(
        f"There is no bundle 'B' in {desk.settings.home / 'models'}; train one first."
    )
    try:
        handing_back.hand_back(desk, None, job.id, "ticketing@me", away)
    except Reject:
        assert not live
    told = told_of(desk, job.id)
    assert "There is no bundle" in told[0] and str(desk.settings.home) not in "".join(told)


def test_a_model_that_serves_uncompared_says_why_without_the_home(desk, monkeypatch):
    new, gone = desk.save_bundle(30), "gone"
    desk.store.set_serving(gone)
    missing = "ticketing.evaluation.promotion.compare"
    monkeypatch.setattr(missing, lambda *_: desk.models.manifest(gone))
    may_serve, why = desk.compared(new)
    said = "it could not be compared. There is no bundle 'gone' in models"
    assert may_serve and why.startswith(f": {said}")
    job = start_reindex(desk, app := make_app(desk.settings), new)
    while do_waiting(desk, app, QUEUE):
        pass
    told = desk.store.get_job(job.id).message
    assert told.startswith(f"Bundle {new} serves now: {said}")


def test_a_damaged_model_is_named_without_the_home(desk):
    path = desk.models.folder / desk.save_bundle(30) / "manifest.json"
    path.write_text(path.read_text().replace("12", "13"))
    sue = signed_in(desk, "sue", Role.SCIENTIST)
    for place in ("/models", "/api/models"):
        told = sue.get(place).get_data(as_text=True)
        assert "was changed after it was written" in told and str(desk.settings.home) not in told
