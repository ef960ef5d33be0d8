"""A desk whose ranking is a stub, and a client of its pages and its API."""

import pytest

from tests.fake_desk import FakeDesk
from ticketing.settings import Settings
from web.app import create_app


@pytest.fixture
def desk(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path))
    yield desk
    desk.close()


@pytest.fixture
def client(desk):
    return create_app(desk).test_client()


@pytest.fixture
def first_client(tmp_path):
    """Of a desk that has tickets and no model."""
    desk = FakeDesk(Settings(home=tmp_path / "first"), serves=False)
    yield create_app(desk).test_client()
    desk.close()
