"""`ticketing train` encodes and lets its bundle serve."""

import pytest
from click.testing import CliRunner

from tests.commands import TINY_OPTIONS, refused, run
from ticketing.errors import InputError, NotReady
from ticketing.jobs import JobKind, JobState
from ticketing.training.pretraining import clear
from worker import follow
from worker.cli import train
from worker.publishing import ENCODE_BATCH

pytestmark = pytest.mark.usefixtures("home")


def test_training_needs_tickets(home):
    assert "no tickets" in refused(NotReady, train.command)


def test_training_before_the_first_ticket_names_the_date(desk):
    assert refused(NotReady, train.command, "--before", "1990-01-01") == (
        "There are no tickets to learn from: none was created before 1990-01-01; give a later date."
    )


def test_a_trained_bundle_is_encoded_and_serves(desk, trained):
    told = run(train.command, *TINY_OPTIONS)
    [new] = set(desk.models.ids()) - {trained[1]}
    assert f"Bundle {new} serves now" in told
    assert desk.store.serving() == new
    assert desk.store.count_codes(new) == 40


def test_a_training_that_was_interrupted_while_it_encoded_goes_on_with_that(desk, monkeypatch):
    """Run again, as it said, it trained for hours once more, and made the same bundle."""

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(follow, "PICK_UP_SECONDS", 0.0)
    with monkeypatch.context() as patch:
        patch.setitem(follow.TASKS, ENCODE_BATCH, interrupt)
        assert CliRunner().invoke(train.command, TINY_OPTIONS).exit_code == 1
    [training] = desk.store.jobs(kind=JobKind.TRAINING)
    told = run(train.command, *TINY_OPTIONS)
    assert f"Bundle {training.result['bundle']} serves now" in told
    assert [job.id for job in desk.store.jobs(kind=JobKind.TRAINING)] == [training.id]
    run(train.command, *TINY_OPTIONS)
    assert len(desk.store.jobs(kind=JobKind.TRAINING)) == 2


def test_a_training_killed_after_it_has_deleted_its_checkpoints_has_its_bundle(desk, monkeypatch):
    """The job did not know it, and trained for hours once more."""

    def cleared(*which):
        clear(*which)
        raise KeyboardInterrupt

    def twice(*_):
        raise AssertionError("a batch was trained again")

    monkeypatch.setattr(follow, "PICK_UP_SECONDS", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr("ticketing.training.train.clear", cleared)
        assert CliRunner().invoke(train.command, TINY_OPTIONS).exit_code == 1
    monkeypatch.setattr("ticketing.nn.trainer.Trainer.step", twice)
    told = run(train.command, *TINY_OPTIONS)
    [training] = desk.store.jobs(kind=JobKind.TRAINING)
    assert f"Bundle {training.result['bundle']} serves now" in told
    assert (training.result["tickets"], training.result["labels"]) == (40, 0)
    assert not list((desk.settings.home / "checkpoints").glob("*.learned.gz"))


def test_an_experiments_bundle_does_not_serve(desk, trained):
    told = run(train.command, "--no-promote", *TINY_OPTIONS)
    [new] = set(desk.models.ids()) - {trained[1]}
    assert f"Bundle {new} is trained" in told
    assert desk.store.serving() == trained[1]
    data = desk.models.manifest(new)["data"]
    assert data["tickets"] == 40


def test_a_bundle_may_wait_for_somebody_to_say_yes(desk, trained):
    told = run(train.command, "--ask", *TINY_OPTIONS)
    [new] = set(desk.models.ids()) - {trained[1]}
    assert desk.store.serving() == trained[1]
    assert desk.store.count_codes(new) == 40
    [waiting] = [job for job in desk.store.jobs() if job.state == JobState.WAITING]
    assert f"ticketing jobs {waiting.id} --yes" in told


def test_a_bundle_that_will_not_serve_asks_nobody():
    assert "nothing to --ask" in refused(InputError, train.command, "--ask", "--no-promote")


def test_a_date_that_is_none_is_refused():
    result = CliRunner().invoke(train.command, ["--before", "soon"])
    assert result.exit_code == 2
    assert "'soon' is no date" in result.output
