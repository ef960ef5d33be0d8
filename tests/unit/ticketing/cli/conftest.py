"""A home to run commands in, and a desk of it that the tiny bundle serves."""

import shutil
import signal
import sys

import pytest

from ticketing.cli.interruption import SIGNALS
from ticketing.desk import open_desk
from ticketing.settings import load_settings


@pytest.fixture(autouse=True)
def own_signals(monkeypatch):
    """The program meets signals in its own way; afterwards they are met as before."""
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    before = {number: signal.getsignal(number) for number in (*SIGNALS, signal.SIGALRM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def desk(home, trained, archive_tickets):
    """A desk of the home, filled and served by the tiny bundle."""
    home.mkdir()
    shutil.copytree(trained[0], home / "models")
    desk = open_desk(load_settings())
    desk.store.set_serving(trained[1])
    desk.put_tickets(archive_tickets)
    yield desk
    desk.close()
