"""Redis away or hanging in the middle of a job, and work that is asked for twice."""

import threading
import time

import pytest

from tests.live.encoding_desk import (
    BUNDLE,
    DigestDesk,
    assert_each_is_stored_once,
    encode_at_once,
    finished,
    wait_until,
    workers,
)
from ticketing.errors import BrokerAway
from ticketing.jobs import JobKind
from ticketing.tickets import Ticket
from worker import jobs
from worker.app import make_app
from worker.connection import waiting_messages

pytestmark = [pytest.mark.redis, pytest.mark.worker]

TICKETS = [Ticket(f"{i:04}", f"ticket {i}") for i in range(3000)]
AWAY_SECONDS = 10


@pytest.fixture
def desk(tmp_path, own_redis):
    desk = DigestDesk(tmp_path)
    desk.store.put_tickets(TICKETS)
    yield desk
    desk.close()


@pytest.mark.parametrize(("harm", "mend"), [("kill", "start"), ("freeze", "thaw")])
def test_redis_gone_for_ten_seconds_costs_a_job_nothing_but_time(desk, own_redis, harm, mend):
    """Killed with its append-only file kept, and hanging: the same worker goes on by itself."""
    with workers(desk.settings.home) as start:
        worker = start(seconds=0.002)
        job = jobs.start_reindex(desk, make_app(desk.settings), BUNDLE)
        wait_until(lambda: desk.store.count_codes(BUNDLE) > 256)
        getattr(own_redis, harm)()
        time.sleep(AWAY_SECONDS)
        done, back = desk.store.count_codes(BUNDLE), time.monotonic()
        assert done < 3000 and worker.is_alive()
        getattr(own_redis, mend)()
        wait_until(lambda: desk.store.count_codes(BUNDLE) > done)
        waited = time.monotonic() - back
        record = finished(desk, job)
        assert worker.is_alive(), "it is the same worker"
        log = (desk.settings.home / "worker0.log").read_text().splitlines()
    assert (record.state, record.done) == ("done", 3000)
    assert_each_is_stored_once(desk, TICKETS)
    assert "Traceback" not in "\n".join(log)
    assert 0 < len(log) <= 4, log
    print(f"{harm}: {done} of 3000 done when it came back, more {waited:.1f} s later")


def out_of_memory(client):
    client.config_set("maxmemory-policy", "noeviction")
    client.config_set("maxmemory", 1)


def replica(client):
    client.replicaof("127.0.0.1", 1)


def whole_again(client):
    client.config_set("maxmemory", 0)
    client.replicaof("NO", "ONE")


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (out_of_memory, "takes no writes, as its memory is full; free some"),
        (replica, "is a replica and takes no writes; name the primary in TICKETING_BROKER"),
    ],
)
def test_a_redis_that_answers_and_refuses_is_away(desk, own_redis, harm, said):
    app = make_app(desk.settings)
    with workers(desk.settings.home) as start, own_redis.client() as client:
        worker = start(seconds=0.002)
        job = jobs.start_reindex(desk, app, BUNDLE)
        wait_until(lambda: desk.store.count_codes(BUNDLE) > 256)
        harm(client)
        for ask in (waiting_messages, lambda app: jobs.start_reindex(desk, app, "other")):
            with pytest.raises(BrokerAway, match=said):
                ask(app)
        assert [known.id for known in desk.store.jobs()] == [job.id], "no job was made"
        time.sleep(5)
        assert worker.is_alive()
        whole_again(client)
        record = finished(desk, job)
        assert worker.is_alive(), "it is the same worker"
        log = (desk.settings.home / "worker0.log").read_text().splitlines()
    assert (record.state, record.done) == ("done", 3000)
    assert_each_is_stored_once(desk, TICKETS)
    assert "Traceback" not in "\n".join(log)
    assert 0 < len(log) <= 6, log


def test_a_redis_that_lost_all_messages_costs_a_job_nothing_but_time(desk, own_redis):
    with workers(desk.settings.home) as start:
        start(seconds=0.002)
        job = jobs.start_reindex(desk, make_app(desk.settings), BUNDLE)
        wait_until(lambda: desk.store.count_codes(BUNDLE) > 256)
        with own_redis.client() as client:
            client.flushall()
        assert finished(desk, job).state == "done"
    assert_each_is_stored_once(desk, TICKETS)


def test_two_workers_given_the_same_batch_store_it_once(desk):
    job = desk.store.create_job(JobKind.REINDEX, BUNDLE, 3000)
    encode_at_once(desk, job.id, [ticket.id for ticket in TICKETS[:128]])
    assert len(desk.encoded) == 256, "both did the work"
    assert_each_is_stored_once(desk, TICKETS[:128])
    assert (desk.store.get_job(job.id).done, desk.store.get_job(job.id).errors) == (128, {})


def test_two_reindexings_asked_for_at_once_are_one_job(desk):
    app, started = make_app(desk.settings), []

    def ask():
        started.append(jobs.start_reindex(desk, app, BUNDLE))

    people = [threading.Thread(target=ask) for _ in range(2)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert started[0].id == started[1].id
    with workers(desk.settings.home) as start:
        start()
        start()
        record = finished(desk, started[0])
    assert (record.state, record.done) == ("done", 3000)
    assert [job.id for job in desk.store.jobs()] == [record.id]
    assert_each_is_stored_once(desk, TICKETS)


def test_two_bundles_reindexed_at_once_are_both_done(desk):
    app = make_app(desk.settings)
    both = [jobs.start_reindex(desk, app, bundle) for bundle in (BUNDLE, "other")]
    with workers(desk.settings.home) as start:
        start()
        start()
        assert [finished(desk, job).state for job in both] == ["done", "done"]
    assert_each_is_stored_once(desk, TICKETS)
    assert desk.store.count_codes("other") == 3000
