"""What asking for work does where that work is under way already."""

import errno
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from tests.fake_desk import FakeDesk
from ticketing.desk.leases import Taken, held
from ticketing.errors import BrokerAway, NotReady
from ticketing.history import Deed
from ticketing.jobs import JobKind, JobState, Promotion, Step
from ticketing.people import Actor, Person, Role
from ticketing.settings import Settings
from ticketing.tickets import Ticket
from worker import jobs
from worker.app import make_app
from worker.connection import waiting_messages
from worker.importing import start_import
from worker.jobs import answer_promotion, cancel_job, lease_of, start_reindex, start_training
from worker.publishing import queue_of


@pytest.fixture
def desk(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path), past_jobs=[])
    yield desk
    desk.close()


def test_a_reindex_is_of_all_tickets_whoever_asks_for_it(desk):
    desk.put_tickets([Ticket("s", "secret", groups=frozenset({"safety"}))])
    everything = desk.whole.count_tickets()
    seen = desk.seen_by(Person("ben", Role.ADMIN, frozenset({"pumps"})))
    assert seen.store.count_tickets() == everything - 1
    job = start_reindex(seen, make_app(desk.settings), "b1", Promotion.RULE)
    assert desk.whole.get_job(job.id).total == everything


@pytest.mark.parametrize("under_way", [Promotion.RULE, Promotion.NEVER])
def test_a_bundle_that_is_to_wait_for_an_answer_is_not_encoded_by_a_job_that_asks_nobody(
    desk, under_way
):
    job = desk.store.create_job(JobKind.REINDEX, "b1", 5, {"promotion": under_way})
    with pytest.raises(NotReady, match=f"Job {job.id} encodes this bundle already and will not"):
        start_reindex(desk, make_app(desk.settings), "b1", Promotion.ASK)
    assert desk.store.unfinished_jobs() == [job]


def test_a_training_that_others_begin_meanwhile_is_not_taken_for_the_one_asked_for(
    desk, monkeypatch
):
    app = make_app(desk.settings)
    rule, ask = (desk.training_arguments(promotion=p) for p in (Promotion.RULE, Promotion.ASK))

    def others_first(*arguments):
        desk.store.create_job(JobKind.TRAINING, "", 0, rule, "ben")
        return waiting_messages(*arguments)

    monkeypatch.setattr(jobs, "waiting_messages", others_first)
    with pytest.raises(NotReady, match="Another training is under way"):
        start_training(desk, app, ask, "ann")
    assert [job.by for job in desk.store.unfinished_jobs()] == ["ben"]


BEGUN = {
    "nobody has begun it": (JobState.QUEUED, 0),
    "its worker was killed": (JobState.RUNNING, 1),
    "its worker was ended": (JobState.QUEUED, 1),
}


@pytest.mark.parametrize("worker_lives", [True, False])
@pytest.mark.parametrize(("state", "attempts"), BEGUN.values(), ids=BEGUN)
def test_a_training_that_awaits_its_turn_is_not_given_up_for_another(
    desk, monkeypatch, worker_lives, state, attempts
):
    """Its worker is busy with another job, or was killed and another one takes it up, also one that
    is started for an upgrade; what nobody has begun nobody ever would, without one."""
    app = make_app(desk.settings)
    rule, ask = (desk.training_arguments(promotion=p) for p in (Promotion.RULE, Promotion.ASK))
    first = start_training(desk, app, rule, "ada")
    desk.store.update_job(first.id, state=state, attempts=attempts)
    monkeypatch.setattr(jobs, "silent_for", lambda job: 60.0)
    monkeypatch.setattr(jobs, "workers_live", lambda app, queue: worker_lives)
    stays = worker_lives or attempts
    if stays:
        said = (
            "Another training is under way" if worker_lives else "A training of other settings was"
        )
        with pytest.raises(NotReady, match=f"{said}.* .job {first.id}"):
            start_training(desk, app, ask, "bob")
    else:
        assert start_training(desk, app, ask, "bob").id != first.id
    [left] = desk.store.unfinished_jobs()
    assert left.by == ("ada" if stays else "bob")


def test_a_training_that_was_cancelled_right_after_its_worker_was_killed_is_given_up(
    desk, monkeypatch
):
    """The cancelling could not know yet that nobody would end it."""
    app = make_app(desk.settings)
    rule, ask = (desk.training_arguments(promotion=p) for p in (Promotion.RULE, Promotion.ASK))
    first = start_training(desk, app, rule, "ada")
    desk.store.update_job(first.id, state=JobState.RUNNING, attempts=1)
    assert jobs.cancel_job(desk, first.id).state == JobState.RUNNING
    monkeypatch.setattr(jobs, "silent_for", lambda job: 60.0)
    second = start_training(desk, app, ask, "bob")
    assert [job.id for job in desk.store.unfinished_jobs()] == [second.id]
    assert desk.store.get_job(first.id).state == JobState.CANCELLED


FULL = OSError(errno.ENOSPC, "No space left on device")


def fail(*_, **__):
    raise FULL


TAKES_NONE = {
    "full": lambda patch, home: patch.setattr("worker.connection.TemporaryFile", fail),
    "gone": lambda patch, home: shutil.rmtree(home / "broker"),
}


@pytest.mark.parametrize("harm", TAKES_NONE.values(), ids=TAKES_NONE)
def test_a_folder_that_takes_no_messages_is_said_before_any_job_is_made(desk, monkeypatch, harm):
    app = make_app(desk.settings)
    harm(monkeypatch, desk.settings.home)
    with pytest.raises(
        BrokerAway, match=r"/broker takes no messages \(No s.*; free some r"
    ) as full:
        start_training(desk, app, desk.training_arguments(), "ada")
    assert full.value.meanwhile == "Searching goes on; no job can be begun until then."
    assert desk.store.unfinished_jobs() == []


def test_a_disk_that_is_full_when_a_message_is_written_is_said_and_the_job_is_sent_later(
    desk, monkeypatch
):
    app, messages = make_app(desk.settings), desk.settings.home / "broker"
    write = Path.write_text

    def half(path, text):
        write(path, text[:9])
        raise FULL

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", half)
        made = start_training(desk, app, desk.training_arguments(), "ada")
    said = "not sent yet: The folder broker takes no messages (No space left on device); free"
    assert made.log[-1].text.startswith(said)
    assert list(messages.glob("*.unfinished")) == []
    monkeypatch.setattr(jobs, "silent_for", lambda job: 60.0)
    [job] = jobs.resume_jobs(desk, app)
    assert (job.by, waiting_messages(app, queue_of(job.kind))) == ("ada", 1)


def test_an_import_that_cannot_be_sent_is_made_once_and_keeps_its_files(desk, monkeypatch):
    """It was refused, sent again by whoever asked, and begun twice."""
    app = make_app(desk.settings)
    arguments = desk.upload_arguments("new.csv", [b"id,subject\n1,Pump\n"])

    def away(*_):
        raise BrokerAway("The broker does not answer.")

    with monkeypatch.context() as patch:
        patch.setattr("worker.publishing.connected", away)
        job = start_import(desk, app, arguments, "ada")
    assert job.state == JobState.QUEUED
    desk.require_files(job)
    monkeypatch.setattr(jobs, "silent_for", lambda job: 60.0)
    assert [sent.id for sent in jobs.resume_jobs(desk, app)] == [job.id]
    assert waiting_messages(app, queue_of(job.kind)) == 1


def test_a_job_that_is_sent_again_waits_again(desk, monkeypatch):
    """It was said to run, on a worker that was killed, for as long as its message waited."""
    app = make_app(desk.settings)
    job = start_training(desk, app, desk.training_arguments(), "ada")
    desk.store.update_job(job.id, state=JobState.RUNNING)
    monkeypatch.setattr(jobs, "silent_for", lambda job: 60.0)
    monkeypatch.setattr(jobs, "waiting_messages", lambda app, queue: 0)
    [sent] = jobs.resume_jobs(desk, app)
    assert (sent.id, sent.state) == (job.id, JobState.QUEUED)


def test_a_job_that_nobody_has_begun_is_cancelled_at_once(desk):
    """Its worker is busy with another one for hours, and the next training was refused."""
    app = make_app(desk.settings)
    job = start_training(desk, app, desk.training_arguments(), "ada")
    assert cancel_job(desk, job.id).state == JobState.CANCELLED
    other = desk.training_arguments(promotion=Promotion.ASK)
    assert start_training(desk, app, other, "ada").state == JobState.QUEUED


def test_a_job_to_be_cancelled_ends_though_messages_wait(desk, monkeypatch):
    app = make_app(desk.settings)
    job = start_training(desk, app, desk.training_arguments(), "ada")
    desk.store.update_job(job.id, state=JobState.RUNNING)
    desk.store.request_cancel(job.id)
    monkeypatch.setattr(jobs, "silent_for", lambda job: 60.0)
    assert waiting_messages(app, queue_of(job.kind))
    assert [(left.id, left.state) for left in jobs.resume_jobs(desk, app)] == [
        (job.id, JobState.CANCELLED)
    ]


def test_a_waiting_job_whose_cancelling_was_interrupted_is_ended(desk):
    """It was said to be cancelling, and to wait for a yes, until somebody answered."""
    job = desk.store.create_job(JobKind.REINDEX, "b1", 5)
    desk.store.update_job(job.id, state=JobState.WAITING)
    app = make_app(desk.settings)
    assert jobs.resume_jobs(desk, app) == []
    desk.store.request_cancel(job.id)  # and the store is away before the job is ended
    assert [ended.state for ended in jobs.resume_jobs(desk, app)] == [JobState.CANCELLED]


@pytest.mark.parametrize("step", [Step.COMPARING, Step.PROMOTING])
def test_a_reindex_whose_last_steps_somebody_does_is_not_left_whatever_the_clocks_say(
    desk, monkeypatch, step
):
    """To a machine whose clock is ahead every heartbeat is old."""
    app = make_app(desk.settings)
    job = desk.store.create_job(JobKind.REINDEX, "b1", 5)
    desk.store.update_job(job.id, state=JobState.RUNNING, step=step)
    monkeypatch.setattr(jobs, "silent_for", lambda job: 60.0)
    with held(desk.store, lease_of(job.id), or_raise=Taken()):
        assert jobs.resume_jobs(desk, app) == []
        assert cancel_job(desk, job.id).state == JobState.RUNNING
    assert [left.id for left in jobs.resume_jobs(desk, app)] == [job.id]


def test_a_job_that_is_about_to_end_is_not_begun_beside_itself(desk):
    app = make_app(desk.settings)
    arguments = desk.training_arguments()
    job = start_training(desk, app, arguments, "ada")
    with held(desk.store, lease_of(job.id), or_raise=Taken()):  # somebody works on it
        desk.store.update_job(job.id, state=JobState.RUNNING)
        assert not cancel_job(desk, job.id).finished
        with pytest.raises(NotReady, match="is about to end; try again then"):
            start_training(desk, app, arguments, "ada")
    assert start_training(desk, app, arguments, "ada").id != job.id


def test_of_two_answers_at_once_the_first_counts(desk, monkeypatch):
    app, bundle = make_app(desk.settings), desk.save_bundle(30)
    job = desk.store.create_job(JobKind.REINDEX, bundle, 0, {"promotion": Promotion.ASK})
    desk.store.update_job(job.id, state=JobState.WAITING)
    both_read, read = threading.Barrier(2), desk.store.get_job

    def read_by_both(job_id):
        found = read(job_id)
        with suppress(threading.BrokenBarrierError):
            both_read.wait(timeout=0.3)
        return found

    monkeypatch.setattr(desk.store, "get_job", read_by_both)
    with ThreadPoolExecutor(2) as pool:
        said = [
            pool.submit(answer_promotion, desk, app, job.id, yes, Actor("ann", ""))
            for yes in (True, False)
        ]
    refused = [one.exception() for one in said if one.exception()]
    assert [type(error) for error in refused] == [NotReady]
    assert [entry.deed for entry in desk.audit_entries()].count(Deed.ANSWERED) == 1


def test_a_job_that_asks_goes_on_when_it_is_asked_for_again(desk):
    app = make_app(desk.settings)
    job = start_reindex(desk, app, "b1", Promotion.ASK)
    assert start_reindex(desk, app, "b1", Promotion.ASK).id == job.id
    assert start_reindex(desk, app, "b2", Promotion.ASK).id != job.id
