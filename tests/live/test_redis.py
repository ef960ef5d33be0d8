"""Redis as the broker: who is let in, what waits where, and what is said when it is away."""

import os
import shutil
import subprocess
import sys
import time
from datetime import timedelta

import pytest

from tests.live.encoding_desk import (
    BUNDLE,
    DigestDesk,
    assert_each_is_stored_once,
    finished,
    wait_until,
    workers,
)
from tests.redis_server import redis_server
from ticketing.errors import BrokerAway, InputError
from ticketing.settings import load_settings
from ticketing.tickets import Ticket
from web.app import create_app
from web.throttle import Throttle
from worker import jobs, progress
from worker.app import make_app
from worker.connection import waiting_messages
from worker.queues import QUEUE

pytestmark = [pytest.mark.redis, pytest.mark.worker]

TICKETS = [Ticket(f"{i:04}", f"ticket {i}") for i in range(640)]


@pytest.fixture
def desk(tmp_path, own_redis):
    desk = DigestDesk(tmp_path)
    desk.store.put_tickets(TICKETS)
    yield desk
    desk.close()


def test_with_its_password_a_job_is_done_and_nothing_is_left_behind(desk, own_redis):
    with workers(desk.settings.home) as start:
        start()
        job = finished(desk, jobs.start_reindex(desk, make_app(desk.settings), BUNDLE))
        assert (job.state, job.done) == ("done", 640)
        with own_redis.client() as client:
            wait_until(lambda: not client.exists(QUEUE, "unacked", "unacked_index"))
    assert_each_is_stored_once(desk, TICKETS)


def test_a_worker_holds_one_batch_until_it_is_done(desk, own_redis):
    """Late acknowledgement and a prefetch of one: what a killed worker costs is one batch."""
    with workers(desk.settings.home) as start, own_redis.client() as client:
        worker = start(seconds=0.03)  # four a batch: time to look
        job = jobs.start_reindex(desk, make_app(desk.settings), BUNDLE)
        wait_until(lambda: desk.store.count_codes(BUNDLE) == 128)
        wait_until(lambda: (client.hlen("unacked"), client.llen(QUEUE)) == (1, 3))
        worker.kill()
        worker.join()
        assert (client.hlen("unacked"), client.llen(QUEUE)) == (1, 3), "it is not lost"
        start()
        assert finished(desk, job).state == "done"
    assert_each_is_stored_once(desk, TICKETS)


def test_a_batch_that_takes_long_is_given_to_nobody_else(desk, monkeypatch):
    """Longer than a job may be silent: the heartbeat says that somebody is at it."""
    desk.store.delete_tickets([ticket.id for ticket in TICKETS[100:]])
    with workers(desk.settings.home) as start:
        start(seconds=0.13)
        job = jobs.start_reindex(desk, make_app(desk.settings), BUNDLE)
        silences = []
        while not (record := desk.store.get_job(job.id)).finished:
            if record.state == "running":
                silences.append(progress.silent_for(record))
            assert waiting_messages(make_app(desk.settings)) <= 1
            time.sleep(0.2)
    assert record.state == "done"
    assert (record.finished - record.started).total_seconds() > jobs.SILENT_SECONDS
    assert max(silences) < jobs.SILENT_SECONDS


def test_a_page_whose_clock_is_off_misses_no_worker_until_it_is_killed(desk, monkeypatch):
    now = progress.utc_now
    monkeypatch.setattr(progress, "utc_now", lambda: now() + timedelta(minutes=1))
    client = create_app(desk).test_client()

    def stalled() -> bool:
        return client.get(f"/api/jobs/{job.id}").json["stalled"]

    with workers(desk.settings.home) as start:
        worker = start(seconds=0.1)
        job = jobs.start_reindex(desk, make_app(desk.settings), BUNDLE)
        wait_until(lambda: desk.store.get_job(job.id).state == "running")
        with monkeypatch.context() as patient:
            patient.setattr("worker.presence.ANSWER_SECONDS", 30.0)
            assert not stalled()
        worker.kill()
        worker.join()
        wait_until(stalled)


def test_a_broker_that_is_away_is_one_sentence(desk, own_redis, trained):
    bundle = trained[1]
    shutil.copytree(trained[0], desk.settings.home / "models", dirs_exist_ok=True)
    own_redis.kill()
    environment = {**os.environ, "TICKETING_HOME": str(desk.settings.home)}
    program = [sys.executable, "-m", "ticketing"]
    processes = [
        subprocess.Popen([*program, *arguments], stderr=subprocess.PIPE, text=True, env=environment)
        for arguments in (["work"], ["reindex", bundle])
    ]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 1
        assert errors == (
            f"ticketing: The broker redis://***@127.0.0.1:{own_redis.port}/0 does not answer (Error"
            f" 111 connecting to 127.0.0.1:{own_redis.port}. Connection refused); start it, or"
            " correct TICKETING_BROKER.\n"
        )
    assert desk.store.jobs() == []


@pytest.mark.parametrize(
    ("password", "given", "said"),
    [
        ("secret", "", r"asks for a password; set TICKETING_BROKER_PASSWORD\.$"),
        ("secret", "gu@ss", r"refuses the password; correct TICKETING_BROKER_PASSWORD\.$"),
        ("", "gu@ss", r"has no password; leave TICKETING_BROKER_PASSWORD empty\.$"),
    ],
    ids=["none given", "a wrong one given", "one given to a Redis without"],
)
def test_a_password_that_does_not_fit_is_one_sentence(
    tmp_path, redis_program, password, given, said
):
    with redis_server(password) as server:
        address = f"redis://127.0.0.1:{server.port}/0"
        app = make_app(load_settings(home=tmp_path, broker=address, broker_password=given))
        with pytest.raises(BrokerAway, match=said) as caught:
            waiting_messages(app)
    assert "gu@ss" not in str(caught.value)


def test_a_password_may_hold_any_character_and_has_a_setting_of_its_own(tmp_path, redis_program):
    with redis_server("p@/#:%s") as server:
        address = f"redis://127.0.0.1:{server.port}/0"
        app = make_app(load_settings(home=tmp_path, broker=address, broker_password="p@/#:%s"))
        assert waiting_messages(app) == 0


def test_tls_for_a_redis_without_it_is_said(tmp_path, own_redis):
    address = own_redis.url.replace("redis://", "rediss://")
    app = make_app(load_settings(home=tmp_path, broker=address))
    with pytest.raises(BrokerAway, match="named by the wrong scheme; write redis:// in"):
        waiting_messages(app)


def test_a_certificate_of_an_unknown_authority_is_not_trusted(tmp_path, redis_program):
    """Any was: whoever came between a worker and its broker could read and write messages."""
    with redis_server("secret", tls=True) as server:
        known = {"home": tmp_path, "broker": server.url}
        with pytest.raises(BrokerAway, match="is not trusted; name the file of its certificate"):
            waiting_messages(make_app(load_settings(**known)))
        trusting = load_settings(**known, broker_ca=server.authority)
        assert waiting_messages(make_app(trusting)) == 0
        Throttle(trusting).attempt("10.0.0.1", "ada")
        assert server.client().keys("ticketing*")
        Throttle(load_settings(**known)).attempt("10.0.0.1", "eve")
        assert not server.client().keys("*eve*")


def test_a_network_that_hangs_holds_nobody_up(desk, own_redis):
    own_redis.freeze()
    began = time.monotonic()
    with pytest.raises(BrokerAway, match=r"does not answer \(Timeout"):
        jobs.start_reindex(desk, make_app(desk.settings), BUNDLE)
    assert time.monotonic() - began < 60
    own_redis.thaw()
    assert waiting_messages(make_app(desk.settings)) == 0


@pytest.mark.parametrize("address", ["amqp://localhost", "localhost:6379", "http://localhost"])
def test_a_broker_of_another_kind_is_refused(tmp_path, address):
    with pytest.raises(InputError, match="is of no known kind; give redis://"):
        make_app(load_settings(home=tmp_path, broker=address))
