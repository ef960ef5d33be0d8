"""The tiny model of the unit tests, and desks on servers that a test may harm."""

import shutil

import pytest

from tests.conftest import missing
from tests.redis_server import redis_server
from tests.servers import SCRIPT
from tests.unit.conftest import archive_labels, archive_tickets, one_thread, trained  # noqa: F401


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
def tiny_home(tmp_path, trained):  # noqa: F811
    """A home with one tiny bundle."""
    shutil.copytree(trained[0], tmp_path / "models")
    return tmp_path
