"""The tiny model of the unit tests, and desks on servers that a test may harm."""

import shutil
from datetime import timedelta

import pytest

from tests.conftest import missing
from tests.redis_server import redis_server
from tests.servers import SCRIPT
from tests.unit.conftest import archive_labels, archive_tickets, one_thread, trained  # noqa: F401
from ticketing.times import utc_now
from worker import progress
from worker.app import make_app


@pytest.fixture(scope="session")
def elasticsearch_program():
    """Nodes can be started, killed and frozen on this machine."""
    if not SCRIPT.exists() or not shutil.which("java"):
        missing(f"Elasticsearch ({SCRIPT}, and Java 17)")


@pytest.fixture
def own_redis(redis_program, monkeypatch):
    """A Redis with a password, for one test to harm; it is the broker."""
    with redis_server("secret") as server:
        monkeypatch.setenv("TICKETING_BROKER", server.url)
        yield server


@pytest.fixture
def app(desk):
    """Celery's app of the module's desk."""
    return make_app(desk.settings)


@pytest.fixture
def silent(monkeypatch):
    """As if every heartbeat were an hour old."""
    monkeypatch.setattr(progress, "utc_now", lambda now=utc_now: now() + timedelta(hours=1))


@pytest.fixture
def tiny_home(tmp_path, trained):  # noqa: F811
    """A home with one tiny bundle."""
    shutil.copytree(trained[0], tmp_path / "models")
    return tmp_path
