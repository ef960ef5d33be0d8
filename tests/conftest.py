"""Fixtures, and the selection of tests: fast ones always, marked ones with `--marked` (as in CI).

If something that a marked test needs is missing, the test fails in CI (`CI` is set) and is skipped
with a reason elsewhere. The last lines of the output say what was left out.
"""

import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from elasticsearch.helpers import bulk, scan
from flask import Flask
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from jinja2 import BytecodeCache

from tests.redis_server import RedisServer, redis_server
from tests.servers import SCRIPT, elasticsearch_server
from ticketing.settings import Settings, load_settings
from ticketing.stores import open_store
from ticketing.stores.protocols import Store

# The time of an example depends on the machine's load, and tests measure no time. In CI, the
# examples are the same in every run; on a laptop they are new, which finds bugs.
hypothesis_settings.register_profile(
    "untimed",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
hypothesis_settings.load_profile("untimed")


class KeptTemplates(BytecodeCache):
    """Caches compiled templates for all apps, since each test makes its own app."""

    def __init__(self):
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket):
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket):
        self._kept[bucket.key] = bucket.bytecode_to_string()


Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": KeptTemplates()}

ELASTICSEARCH = "elasticsearch"
"""The group of tests that share one server."""

MARKED = ("slow", "worker", "browser", "corpus", "redis", "elasticsearch", "openid")
SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_addoption(parser):
    parser.addoption("--marked", action="store_true", help=f"also run tests marked {MARKED}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    for item in items:  # one process per group, so that its tests share what they set up
        item.add_marker(pytest.mark.xdist_group(group_of(item)))
    items.sort(key=lambda item: group_of(item) != ELASTICSEARCH)  # the longest group first
    if config.getoption("--marked"):
        return
    left_out = [item for item in items if any(item.get_closest_marker(mark) for mark in MARKED)]
    config.stash[LEFT_OUT] = len(left_out)
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def group_of(item: pytest.Item) -> str:
    """The test's file, or the group of tests that share a server, since a second server needs as
    much memory."""
    own_server = "elasticsearch_program" in getattr(item, "fixturenames", ())
    shared = item.get_closest_marker("elasticsearch") and not own_server
    return ELASTICSEARCH if shared else item.nodeid.partition("::")[0]


LEFT_OUT = pytest.StashKey[int]()


def pytest_terminal_summary(terminalreporter, config):
    if left_out := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(
            f"{left_out} tests marked {', '.join(MARKED)} were not run; "
            "`make test MARKED=1` runs them.",
            yellow=True,
        )


def missing(what: str):
    """Fail in CI, skip elsewhere with a visible reason."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{what} is missing on this machine")


@pytest.fixture(scope="session", autouse=True)
def no_collecting():
    """Turns off `settle`'s garbage collection: a test process has far more objects than a desk, and
    each collection took a third of a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ticketing.desk.loaded.settle", lambda: None)
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout."""
    if not (SHARED / "data").is_dir():
        missing(f"the folder {SHARED / 'data'}")
    return SHARED


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a Chromium that Playwright can drive."""
    return shutil.which("chromium") or missing("Chromium (apt-get install chromium)")


@pytest.fixture(scope="session")
def redis_program() -> None:
    """Redis can be started on this machine."""
    if not shutil.which("redis-server"):
        missing("Redis (apt-get install redis-server)")


@pytest.fixture(scope="session")
def _redis(redis_program) -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture
def redis_url(_redis) -> str:
    """Address of a real, empty Redis, which all tests share and none may stop."""
    with _redis.client() as client:
        client.flushall()
    return _redis.url


@pytest.fixture(scope="session")
def elasticsearch_url() -> Iterator[str]:
    """Address of a real Elasticsearch: a running one (TEST_ELASTICSEARCH), or one started here."""
    if url := os.environ.get("TEST_ELASTICSEARCH"):
        yield url
        return
    if not SCRIPT.exists() or not shutil.which("java"):
        missing(f"Elasticsearch ({SCRIPT}, and Java 17)")
    with elasticsearch_server() as server:
        yield server.url


@pytest.fixture(scope="session")
def _elasticsearch_prefix(elasticsearch_url) -> Iterator[str]:
    """Prefix of the names of this run's indices, which are deleted afterwards."""
    prefix = f"t{uuid.uuid4().hex}"
    yield prefix
    with Elasticsearch(elasticsearch_url) as client:
        for index in client.indices.get(index=f"{prefix}*", features="aliases"):
            client.indices.delete(index=index)


@pytest.fixture
def elasticsearch_settings(elasticsearch_url, _elasticsearch_prefix, tmp_path) -> Settings:
    """Settings of an empty desk; existing indices are emptied, which is faster than making new
    ones."""
    with Elasticsearch(elasticsearch_url) as client:
        for index in client.indices.get(index=f"{_elasticsearch_prefix}-*", features="aliases"):
            if "-codes-" in index:
                client.indices.delete(index=index)
            else:
                client.indices.refresh(index=index)
                found = scan(client, index=index, _source=False)
                actions = [{"_op_type": "delete", "_index": index, "_id": x["_id"]} for x in found]
                bulk(client, actions, refresh=True)
    return load_settings(home=tmp_path, store=elasticsearch_url, store_prefix=_elasticsearch_prefix)


@pytest.fixture
def own_indices(elasticsearch_url, tmp_path) -> Iterator[Settings]:
    """Settings of an empty desk on a real Elasticsearch with indices that only this test uses, so
    that it may damage them."""
    prefix = f"t{uuid.uuid4().hex}"
    yield load_settings(home=tmp_path, store=elasticsearch_url, store_prefix=prefix)
    with Elasticsearch(elasticsearch_url) as client:
        for index in client.indices.get(index=f"{prefix}-*", features="aliases"):
            client.indices.delete(index=index)


@pytest.fixture
def elasticsearch_store(elasticsearch_settings) -> Iterator[Store]:
    """An empty store on a real Elasticsearch."""
    store = open_store(elasticsearch_settings)
    yield store
    store.close()
