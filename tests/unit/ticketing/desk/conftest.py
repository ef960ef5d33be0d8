"""A desk with the tiny model and a real store."""

import shutil

import pytest

from ticketing.desk import open_desk
from ticketing.settings import load_settings


@pytest.fixture
def empty(tmp_path, trained):
    """A desk whose tiny bundle serves, without a ticket."""
    shutil.copytree(trained[0], tmp_path / "models")
    opened = open_desk(load_settings(home=tmp_path))
    opened.store.set_serving(trained[1])
    yield opened
    opened.close()


@pytest.fixture
def desk(empty, archive_tickets):
    empty.put_tickets(archive_tickets)
    return empty
