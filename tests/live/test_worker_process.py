"""Real worker processes on both brokers: what is killed is finished by the next one."""

import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from encoding_desk import BUNDLE, POISON, FakeDesk, code_of

from tests.conftest import missing
from ticketing.tickets import Ticket
from worker import jobs
from worker.app import make_app

pytestmark = pytest.mark.worker

TICKETS = [Ticket(f"{i:04}", f"ticket {i}") for i in range(1500)]


@pytest.fixture
def redis_server(tmp_path):
    """Address of a Redis server of our own."""
    program = shutil.which("redis-server") or missing("Redis (apt-get install redis-server)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [program, "--port", str(port), "--save", "", "--dir", tmp_path]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        wait_until(lambda: listens(port))
        yield f"redis://127.0.0.1:{port}/0"
        server.terminate()


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(params=["files", "redis"])
def broker(request, monkeypatch):
    """The test runs on both brokers."""
    if request.param == "redis":
        monkeypatch.setenv("TICKETING_BROKER", request.getfixturevalue("redis_server"))


@pytest.fixture
def desk(tmp_path, broker):
    desk = FakeDesk(tmp_path)
    desk.store.put_tickets(TICKETS)
    yield desk
    desk.store.close()


@pytest.fixture
def app(desk):
    return make_app(desk.settings)


@pytest.fixture
def start_worker(desk):
    """Starts a worker process; `seconds` is what encoding one ticket takes."""
    started = []

    def start(seconds=0.0):
        script = Path(__file__).with_name("encoding_desk.py")
        log = (desk.settings.home / f"worker{len(started)}.log").open("wb")
        command = [sys.executable, script, desk.settings.home, str(seconds)]
        started.append(subprocess.Popen(command, stdout=log, stderr=log))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def wait_until(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)
    return value


def finished(desk, job):
    def now():
        record = desk.store.get_job(job.id)
        return record if record.finished else None

    return wait_until(now)


def assert_each_is_stored_once(desk, tickets=TICKETS):
    block = desk.store.codes(BUNDLE)
    assert list(block.ids) == [ticket.id for ticket in tickets]
    assert len(block.codes) == len(tickets), "a row was written twice"
    assert [bytes(row) for row in block.codes[block.live]] == [code_of(t) for t in tickets]


def test_a_worker_encodes_every_ticket_and_ends_the_job(desk, app, start_worker):
    start_worker()
    job = finished(desk, jobs.start_reindex(desk, app, BUNDLE))
    assert (job.state, job.done, job.total, job.message) == ("done", 1500, 1500, "done")
    assert jobs.rate(job) > 0
    assert_each_is_stored_once(desk)


def test_killed_again_and_again_at_random_moments_nothing_is_lost_or_stored_twice(
    desk, app, start_worker
):
    chance = random.Random(2)
    job = jobs.start_reindex(desk, app, BUNDLE)
    for _ in range(3):
        before = desk.store.count_codes(BUNDLE)
        worker = start_worker(seconds=0.002)
        wait_until(lambda: desk.store.count_codes(BUNDLE) > before)  # noqa: B023
        time.sleep(chance.random() / 2)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    assert desk.store.count_codes(BUNDLE) < 1500
    start_worker()
    assert finished(desk, job).state == "done"
    assert_each_is_stored_once(desk)


def test_two_workers_share_a_job(desk, app, start_worker):
    start_worker(seconds=0.001)
    start_worker(seconds=0.001)
    assert finished(desk, jobs.start_reindex(desk, app, BUNDLE)).state == "done"
    assert_each_is_stored_once(desk)


def test_a_poisonous_ticket_is_set_aside_and_the_rest_is_done(desk, app, start_worker):
    desk.store.put_tickets([Ticket("0700", "bad", product=POISON)])
    start_worker()
    job = finished(desk, jobs.start_reindex(desk, app, BUNDLE))
    assert (job.state, job.message, job.done) == ("done", "done with 1 error", 1499)
    assert job.errors == {"0700": "ValueError: no such word"}
    assert_each_is_stored_once(desk, [t for t in TICKETS if t.id != "0700"])


def test_a_cancelled_job_stops_and_a_new_one_goes_on_from_there(desk, app, start_worker):
    start_worker(seconds=0.002)
    job = jobs.start_reindex(desk, app, BUNDLE)
    wait_until(lambda: desk.store.count_codes(BUNDLE))
    jobs.cancel_reindex(desk.store, BUNDLE)
    assert finished(desk, job).state == "cancelled"
    done = desk.store.count_codes(BUNDLE)
    assert 0 < done < 1500
    time.sleep(1)
    assert desk.store.count_codes(BUNDLE) == done
    again = jobs.start_reindex(desk, app, BUNDLE)
    assert again.id != job.id
    assert finished(desk, again).state == "done"
    assert_each_is_stored_once(desk)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_worker_that_is_asked_to_end_finishes_its_batch_and_exits_cleanly(
    desk, app, start_worker, number
):
    worker = start_worker(seconds=0.002)
    job = jobs.start_reindex(desk, app, BUNDLE)
    wait_until(lambda: desk.store.count_codes(BUNDLE))
    worker.send_signal(number)
    assert worker.wait(timeout=10) == 0
    assert desk.store.count_codes(BUNDLE) % jobs.BATCH == 0
    start_worker()
    assert finished(desk, job).state == "done"
    assert_each_is_stored_once(desk)
