"""Celery's own commands, which find the workers over Redis, and the events that Flower shows."""

import os
import subprocess
import sys

import pytest

from tests.live.commands import start
from tests.live.encoding_desk import wait_until
from ticketing.settings import load_settings
from worker.app import make_app
from worker.presence import workers_live
from worker.queues import LONG_QUEUE

pytestmark = [pytest.mark.redis, pytest.mark.worker]


@pytest.fixture
def app(tmp_path, own_redis):
    """The app of two `ticketing work` on one machine, one of which sends events."""
    app = make_app(load_settings(home=tmp_path))
    workers = [start(tmp_path, "work"), start(tmp_path, "work", "--queue", LONG_QUEUE, "--events")]
    try:
        wait_until(lambda: len(app.control.ping(limit=3, timeout=2)) == 3)
        yield app
    finally:
        for worker in workers:
            worker.terminate()
        assert [worker.wait(60) for worker in workers] == [0, 0]


def test_celerys_commands_find_every_worker_under_a_name_of_its_own(app, tmp_path):
    command = [sys.executable, "-m", "celery", "-A", "worker.app", "status", "--timeout", "5"]
    environment = {**os.environ, "TICKETING_HOME": str(tmp_path)}
    status = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert status.returncode == 0, status.stderr
    assert "3 nodes online." in status.stdout
    found = app.control.inspect(timeout=10, limit=3)
    queues = {
        name: [queue["name"] for queue in them] for name, them in found.active_queues().items()
    }
    assert len(queues) == 3
    assert all(them == [name.partition("@")[0]] for name, them in queues.items())
    stats = found.stats()
    assert {worker["pool"]["max-concurrency"] for worker in stats.values()} == {1}
    assert list(found.active().values()) == [[], [], []]
    assert workers_live(app, LONG_QUEUE)


def test_a_worker_sends_events_where_it_is_told_to(app):
    seen = []

    def take(event):
        seen.append(event)
        receiver.should_stop = True

    with app.connection_for_read() as connection:
        receiver = app.events.Receiver(connection, handlers={"worker-heartbeat": take})
        receiver.capture(timeout=30, wakeup=False)
    assert seen[0]["hostname"].startswith(f"{LONG_QUEUE}@")
