"""`ticketing demo`: from nothing to a page, again at once, and Ctrl-C leaves nothing behind."""

import re
import signal
import socket
import urllib.request
from pathlib import Path

import pytest

from tests.live.commands import children_of, drained
from tests.live.commands import start as start_command
from ticketing.desk import open_desk
from ticketing.settings import load_settings
from ticketing.tickets import Ticket
from web.demo import NOTICE

pytestmark = [pytest.mark.slow, pytest.mark.worker]


def start(home, port=0):
    return start_command(home, "demo", TICKETING_PORT=str(port))


def address_of(process, said):
    """The address that the demo prints; `said` is what it says beside that."""
    for line in process.stdout:
        if found := re.search(r"http://\S+", line):
            return found[0]
    raise AssertionError("".join(said)[-2000:])


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home in which the demo has been built; its Ctrl-C is part of the tests."""
    home = tmp_path_factory.mktemp("demo")
    with start(home) as process:
        address_of(process, drained(process.stderr))
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
    return home


def test_it_builds_a_knowledge_base_that_says_it_is_generated(home):
    desk = open_desk(load_settings(home=home))
    assert desk.notice == NOTICE
    assert desk.store.count_tickets() == 949
    assert desk.store.count_codes(desk.store.serving()) == 949
    assert len(desk.labels()) == 421
    desk.close()


def test_it_serves_what_is_there_and_ends_its_children(home):
    with start(home) as process:
        said = drained(process.stderr)
        address = address_of(process, said)
        page = urllib.request.urlopen(address, timeout=10).read().decode()
        assert NOTICE in page
        children = children_of(process.pid)
        assert children
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
    assert "Traceback" not in "".join(said)
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


def test_a_taken_port_is_one_sentence(home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with start(home, port) as process:
            _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors == (
        f"ticketing: Port {port} is taken by another program; "
        "choose another one with TICKETING_PORT=…, or 0 for any free one.\n"
    )


def test_it_leaves_a_desk_of_its_own_alone(tmp_path):
    desk = open_desk(load_settings(home=tmp_path))
    desk.store.put_tickets([Ticket("1", "a real ticket")])
    desk.close()
    with start(tmp_path) as process:
        _, errors = process.communicate(timeout=60)
    assert "holds a desk's own tickets" in errors
    assert process.returncode == 1
