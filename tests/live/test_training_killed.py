"""A worker that is killed amid a training: another one goes on from the checkpoint, on the same
machine, or on another one with a home of its own."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.live.encoding_desk import TimedDesk, finished, wait_until, workers
from ticketing.desk import checkpoints, leases, open_desk
from ticketing.jobs import Promotion
from ticketing.settings import load_settings
from ticketing.tickets import Ticket
from worker import jobs
from worker import working as working_
from worker.app import make_app
from worker.queues import LONG_QUEUE

pytestmark = [pytest.mark.worker, pytest.mark.slow]

EPOCHS = 20

NETWORK = {"hidden": 6, "word_dims": 8, "character_dims": 4, "topics": 5, "max_words": 24}
TRAINING = {"batch_size": 4, "topic_epochs": 1, "teacher": "", "epochs": EPOCHS, "patience": EPOCHS}


@pytest.fixture(params=["files", pytest.param("redis", marks=pytest.mark.redis)])
def homes(request, tmp_path, monkeypatch):
    """Of the worker that is killed, and of the other one."""
    if request.param == "files":
        return [tmp_path, tmp_path]
    monkeypatch.setenv("TICKETING_BROKER", request.getfixturevalue("redis_url"))
    monkeypatch.setenv("TICKETING_STORE", f"sqlite:///{tmp_path / 'store'}")
    return [tmp_path / "one", tmp_path / "other"]


@pytest.fixture
def desk(tmp_path, homes, archive_tickets):
    desk = open_desk(load_settings(home=tmp_path))
    desk.put_tickets(archive_tickets)
    yield desk
    desk.close()


def epochs_of(job) -> list[str]:
    return [line.text for line in job.log if line.text.startswith("epoch")]


def soon(app):
    """Who is killed is given up soon."""
    leases.LEASE_SECONDS, jobs.SILENT_SECONDS = 6.0, 4.0
    leases.RENEW_SECONDS = working_.BEAT_SECONDS = 0.5
    checkpoints.LOOK_SECONDS, checkpoints.REST = 0.05, 0


@contextmanager
def working(home) -> Iterator[None]:
    """A worker that is killed at the end, without a word to anybody."""
    home.mkdir(exist_ok=True)
    with workers(home, TimedDesk) as start:
        start(set_up=soon, queue=LONG_QUEUE)
        yield
    assert (home / "worker0.log").read_text() == "", "nothing goes wrong, and no bar is drawn"


def test_a_killed_workers_training_goes_on_from_its_checkpoint(desk, homes):
    arguments = desk.training_arguments(NETWORK, TRAINING, promotion=Promotion.NEVER)
    job = jobs.start_training(desk, make_app(desk.settings), arguments)
    with working(homes[0]):
        wait_until(lambda: len(epochs_of(desk.store.get_job(job.id))) >= 3, 300)
        if homes[0] != homes[1]:
            wait_until(lambda: any(".network" in kept.name for kept in desk.store.files()))
    trained = len(epochs_of(desk.store.get_job(job.id)))
    assert trained < EPOCHS, "it was not in time"
    desk.put_tickets([Ticket("new", "This one came while nobody trained")])
    with working(homes[1]):
        record = finished(desk, job, 300)
    assert (record.state, record.attempts) == ("done", 2)
    said = epochs_of(record)
    numbers = [int(text.split()[1]) for text in said]
    if homes[0] == homes[1]:
        assert numbers[trained] in (trained, trained + 1), "the epoch that was amid at most"
    assert 1 < numbers[trained] <= trained + 1, "it went on from a checkpoint"
    assert desk.store.files("checkpoint/") == []
    assert numbers[-1] == EPOCHS
    manifest = json.loads(
        (homes[1] / "models" / record.result["bundle"] / "manifest.json").read_text()
    )
    assert manifest["data"]["tickets"] == 40, "those that it began with"
