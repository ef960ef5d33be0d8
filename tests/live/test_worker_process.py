"""Real worker processes on both brokers: what is killed is finished by the next one."""

import json
import os
import random
import signal
import time
from functools import partial

import pytest
from redis import Redis

from tests.live.encoding_desk import (
    BUNDLE,
    POISON,
    DigestDesk,
    assert_each_is_stored_once,
    finished,
    kill_at_random,
    wait_until,
    workers,
)
from ticketing.tickets import Ticket
from worker import jobs, publishing
from worker.follow import follow
from worker.presence import live_workers
from worker.publishing import ENCODE_BATCH
from worker.queues import QUEUE

pytestmark = pytest.mark.worker

WORKER = "TEST_WORKER"
"""The variable that says to a worker how it is called."""

TICKETS = [Ticket(f"{i:04}", f"ticket {i}") for i in range(1500)]


@pytest.fixture(params=["files", pytest.param("redis", marks=pytest.mark.redis)])
def broker(request, monkeypatch):
    """The test runs on both brokers."""
    if request.param == "redis":
        monkeypatch.setenv("TICKETING_BROKER", request.getfixturevalue("redis_url"))


ON_FILES = pytest.mark.parametrize("broker", ["files"], indirect=True)
"""What others try on Redis: test_redis, test_faults_redis, test_faults_elasticsearch."""


@pytest.fixture
def desk(tmp_path, broker):
    desk = DigestDesk(tmp_path)
    desk.store.put_tickets(TICKETS)
    yield desk
    desk.store.close()


@pytest.fixture
def start_worker(desk):
    with workers(desk.settings.home) as start:
        yield start


@ON_FILES
def test_a_worker_encodes_every_ticket_and_ends_the_job(desk, app, start_worker):
    start_worker()
    job = finished(desk, jobs.start_reindex(desk, app, BUNDLE))
    assert (job.state, job.done, job.total) == ("done", 1500, 1500)
    assert_each_is_stored_once(desk, TICKETS)


@ON_FILES
def test_killed_twenty_times_at_random_moments_nothing_is_lost_or_stored_twice(
    desk, app, start_worker
):
    more = [Ticket(f"{i:04}", f"ticket {i}") for i in range(1500, 9000)]
    desk.store.put_tickets(more)
    job = jobs.start_reindex(desk, app, BUNDLE)
    kill_at_random(desk, start_worker, 20, 0.001, random.Random(2))
    done = desk.store.count_codes(BUNDLE)
    assert done < 9000
    start_worker()
    record = finished(desk, job)
    assert (record.state, record.done) == ("done", 9000)
    assert_each_is_stored_once(desk, TICKETS + more)
    print(f"20 workers killed, {done} of 9000 done by then, {record.done} in the end")


class SigningDesk(DigestDesk):
    """Leaves a file in the home that says which worker has encoded something."""

    def encode(self, bundle_id, tickets, tokens=None):
        (self.settings.home / f"{os.environ[WORKER]}.encoded").touch()
        return super().encode(bundle_id, tickets)


def call_it(name, app):
    os.environ[WORKER] = name


@ON_FILES
def test_two_workers_share_a_job(desk, app):
    with workers(desk.settings.home, SigningDesk) as start:
        for name in ("first", "second"):
            start(seconds=0.001, set_up=partial(call_it, name))
        wait_until(lambda: len(live_workers(app)) == 2)
        assert finished(desk, jobs.start_reindex(desk, app, BUNDLE)).state == "done"
    assert_each_is_stored_once(desk, TICKETS)
    encoded = {path.stem for path in desk.settings.home.glob("*.encoded")}
    assert encoded == {"first", "second"}


def test_a_poisonous_ticket_is_set_aside_and_the_rest_is_done(desk, app, start_worker):
    desk.store.put_tickets([Ticket("0700", "bad", product=POISON)])
    start_worker()
    job = finished(desk, jobs.start_reindex(desk, app, BUNDLE))
    assert (job.state, job.done) == ("done", 1499)
    assert job.message == f"Bundle {BUNDLE} serves now. (1 error)"
    assert job.errors == {"0700": "ValueError: no such word"}
    assert_each_is_stored_once(desk, [t for t in TICKETS if t.id != "0700"])


def test_a_cancelled_job_stops_and_a_new_one_goes_on_from_there(desk, app, start_worker):
    start_worker(seconds=0.01)
    job = jobs.start_reindex(desk, app, BUNDLE)
    wait_until(lambda: desk.store.count_codes(BUNDLE))
    jobs.cancel_job(desk, job.id)
    assert finished(desk, job).state == "cancelled"
    done = desk.store.count_codes(BUNDLE)
    assert 0 < done < 1500
    time.sleep(1)
    assert desk.store.count_codes(BUNDLE) == done
    start_worker()
    again = jobs.start_reindex(desk, app, BUNDLE)
    assert again.id != job.id
    assert finished(desk, again).state == "done"
    assert_each_is_stored_once(desk, TICKETS)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_worker_that_is_asked_to_end_finishes_its_batch_and_exits_cleanly(
    desk, app, start_worker, number
):
    worker = start_worker(seconds=0.01)
    job = jobs.start_reindex(desk, app, BUNDLE)
    wait_until(lambda: desk.store.count_codes(BUNDLE))
    os.kill(worker.pid, number)
    worker.join(timeout=60)
    assert worker.exitcode == 0
    assert desk.store.count_codes(BUNDLE) % publishing.BATCH == 0
    start_worker()
    assert finished(desk, job).state == "done"
    assert_each_is_stored_once(desk, TICKETS)


def shaped(**changed):
    """A message that is right but for what is changed."""
    place = {"exchange": "", "routing_key": QUEUE}
    properties = {"delivery_tag": "t", "body_encoding": "base64", "delivery_info": place}
    message = {
        "body": "W1siam9iIiwgImJ1bmRsZSIsIFtdXSwge30sIHt9XQ==",  # ["job", "bundle", []], {}, {}
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": {"task": ENCODE_BATCH, "id": "1"},
        "properties": properties | changed.pop("properties", {}),
    }
    return json.dumps(message | changed).encode()


GARBAGE = {
    "no JSON": b"{half",
    "no text": b"\xff\xfe\x00",
    "no object": b"[1, 2]",
    "nothing in it": b"{}",
    "no tag": b'{"body": "e30=", "properties": {}}',
    "a body that is none": b'{"body": "\xc3\xa4", "properties": {"delivery_tag": 1, '
    b'"body_encoding": "base64"}}',
    "deep": b"[" * 200_000,
    "a list": b'["a", "b", {"c": []}]',
    "a number": b"7",
    "words": b"garbage",
    "a task that cannot be looked up": shaped(headers={"task": ["x"], "id": "1"}),
    "an unknown task": shaped(headers={"task": "os.system", "id": "1"}),
    "no headers": shaped(headers=[]),
    "a time that is none": shaped(headers={"task": ENCODE_BATCH, "id": "1", "eta": "soon"}),
    "a limit that is none": shaped(headers={"task": ENCODE_BATCH, "id": "1", "timelimit": "x"}),
    "base64 that is none": shaped(body="%%%"),
    "base64 of no JSON": shaped(body="/////w=="),
    "base64 of no arguments": shaped(body="e30="),
    "a tag that cannot be looked up": shaped(properties={"delivery_tag": [1]}),
    "pickle": shaped(**{"content-type": "application/x-python-serialize"}),
    "too few arguments": shaped(body="W1siam9iIl0sIHt9LCB7fV0="),
    "arguments of other kinds": shaped(body="W1sxLCB7fSwgImFiYyJdLCB7fSwge31d"),
    "named arguments": shaped(body="W1tdLCB7ImEiOiAxfSwge31d"),
    "another unknown task": b'{"body": "W10=", "headers": {"task": "os.system", "id": "1"}, '
    b'"content-type": "application/json", "content-encoding": "utf-8", "properties": '
    b'{"delivery_tag": "t", "body_encoding": "base64", "delivery_info": {"exchange": "", '
    b'"routing_key": "ticketing"}}}',
}


def put_garbage(desk, app, garbage):
    if not desk.settings.broker:
        for i, data in enumerate(garbage):
            name = f"{i:020}_garbage.{QUEUE}.msg"
            (desk.settings.home / "broker" / name).write_bytes(data)
        return
    with Redis.from_url(desk.settings.broker) as client:
        client.lpush(QUEUE, *garbage)


def test_what_is_no_message_ends_no_worker(desk, app, start_worker):
    put_garbage(desk, app, GARBAGE.values())
    worker = start_worker()
    wait_until(lambda: not jobs.waiting_messages(app))
    job = finished(desk, jobs.start_reindex(desk, app, BUNDLE))
    assert worker.is_alive()
    assert (job.state, job.done) == ("done", 1500)
    log = (desk.settings.home / "worker0.log").read_text().splitlines()
    assert len([line for line in log if "discarded what is no message" in line]) == len(GARBAGE)
    assert len(log) == len(GARBAGE), log


@ON_FILES
def test_the_command_discards_what_is_no_message(desk, app):
    put_garbage(desk, app, GARBAGE.values())
    job = follow(desk, app, jobs.start_reindex(desk, app, BUNDLE))
    assert (job.state, job.done) == ("done", 1500)
