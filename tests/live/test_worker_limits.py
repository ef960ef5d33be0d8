"""What ends a worker's child, or takes its store away: the job goes on, or says why it does not."""

import os
import time
from functools import partial

import pytest

from tests.live.encoding_desk import (
    ANN,
    BUNDLE,
    DigestDesk,
    assert_each_is_stored_once,
    finished,
    wait_until,
    workers,
)
from ticketing.errors import StoreAway
from ticketing.importing import read_mapping
from ticketing.tickets import Ticket
from worker import jobs, publishing, tasks
from worker.connection import waiting_messages
from worker.importing import start_import
from worker.presence import workers_live
from worker.queues import LONG_QUEUE, QUEUE
from worker.working import beating

pytestmark = pytest.mark.worker

TICKETS = [Ticket(f"{i:04}", f"ticket {i}") for i in range(1000)]


class HangingDesk(DigestDesk):
    """The first to encode or to import the last ticket hangs; the file `hang` says how many do."""

    def encode(self, bundle_id, tickets, tokens=None):
        self._hang_at_the_last(tickets)
        return super().encode(bundle_id, tickets, tokens)

    def put_tickets(self, tickets, **options):
        self._hang_at_the_last(tickets)
        return super().put_tickets(tickets, **options)

    def _hang_at_the_last(self, tickets):
        if any(ticket.id == "0999" for ticket in tickets):
            left = self.settings.home / "hang"
            times = int(left.read_text())
            left.write_text(str(times - 1))
            if times > 0:
                time.sleep(1000)


class DyingDesk(DigestDesk):
    """Whoever encodes the last ticket dies, as of too little memory."""

    def encode(self, bundle_id, tickets, tokens=None):
        if any(ticket.id == "0999" for ticket in tickets):
            os.kill(os.getpid(), 9)
        return super().encode(bundle_id, tickets, tokens)


class AwayStore:
    """A store that is away while a file is there, which grows each time it is asked."""

    def __init__(self, store, home):
        self._store, self._away = store, home / "away"

    def __getattr__(self, name):
        try:
            file = os.open(self._away, os.O_WRONLY | os.O_APPEND)
        except FileNotFoundError:
            return getattr(self._store, name)
        with os.fdopen(file, "w") as growing:
            growing.write(".")
        raise StoreAway("The store does not answer; try again.")


class AwayDesk(DigestDesk):
    """Its store is away while the file `away` is there."""

    def __init__(self, home, seconds=0.0):
        super().__init__(home, seconds)
        self.whole = self.store = AwayStore(self.store, home)

    def close(self):
        (self.settings.home / "away").unlink(missing_ok=True)
        super().close()


def batches_take(seconds, app):
    """A batch may take so long: one that does not hang is done at once, or after a stall."""
    tasks.SECONDS[publishing.ENCODE_BATCH] = seconds


def seen_again_soon(app):
    """Redis hands out again what nobody dealt with for a second."""
    app.conf.broker_transport_options["visibility_timeout"] = 1


@pytest.fixture(params=["files", pytest.param("redis", marks=pytest.mark.redis)])
def broker(request, monkeypatch):
    """The test runs on both brokers."""
    if request.param == "redis":
        monkeypatch.setenv("TICKETING_BROKER", request.getfixturevalue("redis_url"))


@pytest.fixture
def desk(tmp_path, broker):
    desk = DigestDesk(tmp_path)
    desk.store.put_tickets(TICKETS)
    yield desk
    desk.close()


def lines(desk):
    """What the workers have logged."""
    logs = desk.settings.home.glob("worker*.log")
    return [line for log in logs for line in log.read_text().splitlines()]


def said(desk, words):
    """How many lines hold these words; there is no traceback."""
    assert not any("Traceback" in line for line in lines(desk)), lines(desk)
    return sum(words in line for line in lines(desk))


def test_a_batch_that_hangs_is_killed_and_done_again(desk, app):
    (desk.settings.home / "hang").write_text("1")
    with workers(desk.settings.home, HangingDesk) as start:
        worker = start(set_up=partial(batches_take, 10))
        job = finished(desk, jobs.start_reindex(desk, app, BUNDLE, "never"))
        assert worker.is_alive()
    assert (job.state, job.done) == ("done", 1000)
    assert_each_is_stored_once(desk, TICKETS)
    assert said(desk, "took too long; it is sent again") == 1


@pytest.mark.parametrize("broker", ["files"], indirect=True)
@pytest.mark.parametrize("make_desk", [HangingDesk, DyingDesk])
def test_a_batch_that_ends_every_process_fails_its_job_with_a_sentence(desk, app, make_desk):
    (desk.settings.home / "hang").write_text("100")
    with workers(desk.settings.home, make_desk) as start:
        worker = start(set_up=partial(batches_take, 3))
        job = finished(desk, jobs.start_reindex(desk, app, BUNDLE, "never"))
        assert worker.is_alive()
    assert job.state == "failed"
    assert job.message.startswith("It ended its worker's process 3 times: ")
    assert said(desk, "it is sent again") >= 2  # a machine's stall may send another one again
    assert said(desk, "its job fails") == 1


@pytest.mark.parametrize("broker", ["files"], indirect=True)
def test_long_work_is_ended_after_its_hours_and_may_be_retried(desk, app, monkeypatch, tmp_path):
    (tmp_path / "hang").write_text("100")
    (tmp_path / "file.csv").write_text("id,subject\n0999,the last ticket\n")
    arguments = desk.import_arguments([tmp_path / "file.csv"], read_mapping())
    monkeypatch.setenv("TICKETING_JOB_HOURS", str(1 / 3600))
    with workers(tmp_path, HangingDesk) as start:
        hurried = start(queue=LONG_QUEUE)
        job = finished(desk, start_import(desk, app, arguments))
        assert job.state == "failed"
        assert job.message.startswith("It was ended after 0.000278 hours, the most that ")
        assert hurried.is_alive()
        hurried.kill()
        monkeypatch.delenv("TICKETING_JOB_HOURS")
        (tmp_path / "hang").write_text("0")
        start(queue=LONG_QUEUE)
        assert finished(desk, jobs.retry_job(desk, app, job.id, ANN)).state == "done"
    assert said(desk, "took too long; its job fails") == 1


@pytest.mark.parametrize("broker", ["files"], indirect=True)
def test_the_heart_stops_when_a_batch_hangs(desk, monkeypatch):
    beats = []
    monkeypatch.setattr("worker.working.BEAT_SECONDS", 0.01)
    monkeypatch.setattr(desk.store, "update_job", beats.append)
    with beating(desk.store, "job", 2.0):
        wait_until(lambda: len(beats) > 2)
        time.sleep(2.5)
        stopped = len(beats)
        time.sleep(0.5)
        assert len(beats) == stopped


def test_while_the_store_is_away_a_worker_holds_one_message_and_goes_on_by_itself(desk, app):
    away = desk.settings.home / "away"
    with workers(desk.settings.home, AwayDesk) as start:
        worker = start(seconds=0.005)
        job = jobs.start_reindex(desk, app, BUNDLE, "never")
        wait_until(lambda: desk.store.count_codes(BUNDLE))
        away.touch()
        left = waiting_messages(app)
        wait_until(lambda: away.stat().st_size > 5)  # times that somebody asked
        assert waiting_messages(app) >= left - 1 > 0
        wait_until(lambda: workers_live(app))
        assert worker.is_alive()
        away.unlink()
        assert finished(desk, job).state == "done"
    assert_each_is_stored_once(desk, TICKETS)
    assert [line.partition("WARNING ")[2] for line in lines(desk)] == [
        "The store does not answer; try again. Workers wait and go on by themselves.",
        "The store answers again; workers go on.",
    ]


def test_workers_that_live_are_known_by_queue(desk, app):
    assert not workers_live(app)
    with workers(desk.settings.home) as start:
        first = start()
        start()
        wait_until(lambda: workers_live(app))
        assert not workers_live(app, LONG_QUEUE)
        first.kill()
        first.join()
        wait_until(lambda: workers_live(app, QUEUE))
    wait_until(lambda: not workers_live(app))


@pytest.mark.parametrize("broker", [pytest.param("redis", marks=pytest.mark.redis)], indirect=True)
def test_redis_hands_out_again_what_a_killed_worker_held(desk, app):
    """The job's heart goes on beating, so that no watch publishes it again."""
    with workers(desk.settings.home) as start:
        worker = start(seconds=0.005, set_up=seen_again_soon)
        job = jobs.start_reindex(desk, app, BUNDLE, "never")
        wait_until(lambda: 0 < waiting_messages(app) <= 7)
        worker.kill()
        worker.join()
        start(set_up=seen_again_soon)
        with beating(desk.store, job.id, 60):
            record = finished(desk, job)
    assert (record.state, record.done) == ("done", 1000)
    assert_each_is_stored_once(desk, TICKETS)
