"""`ticketing serve`: the address it prints, a taken port, and its end."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest

from ticketing.errors import InputError, StoreAway
from ticketing.stores.sqlite import SQLiteStore
from ticketing.tickets import Ticket
from web.cli import forgetting, listening_socket, serve
from web.demo import demo

ROOT = Path(__file__).parents[3]
SERVE_A_FAKE = """
from tests.fake_desk import FakeDesk
from ticketing.cli import main
from web import cli
FakeDesk.warm_up = lambda self: None
cli.open_desk = FakeDesk
cli.LEFT_SECONDS = 0.01
main()
"""


def test_a_taken_port_is_one_sentence_with_a_way_out():
    with listening_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError) as raised:
            listening_socket("127.0.0.1", port)
    assert str(raised.value) == (
        f"Port {port} is taken by another program; choose another one with TICKETING_PORT=…, "
        "or 0 for any free one."
    )


def test_port_0_takes_a_free_one():
    with listening_socket("127.0.0.1", 0) as one, listening_socket("127.0.0.1", 0) as two:
        assert one.getsockname()[1] != two.getsockname()[1] != 0


@pytest.mark.parametrize("host", ["192.0.2.1", "no such name"])
def test_an_address_of_another_machine_is_refused(host):
    """The sentence did not say what to do."""
    with pytest.raises(InputError) as caught:
        listening_socket(host, 0)
    said = str(caught.value)
    assert said.startswith(f"TICKETING_HOST={host} is no address of this machine (")
    assert said.endswith("); name one of its own, or 0.0.0.0 for all of them.")


def test_an_address_too_long_for_any_machine_is_refused():
    with pytest.raises(InputError, match=r"TICKETING_HOST=x{40}… is no address; write another"):
        listening_socket("x" * 300, 0)


@pytest.mark.parametrize("command", [serve, demo])
@pytest.mark.parametrize("given", [{"HOST": "0.0.0.0"}, {"TRUSTED_PROXY": "127.0.0.1"}])
def test_others_are_not_let_in_where_nobody_has_an_account(tmp_path, monkeypatch, command, given):
    for name, value in {"HOME": str(tmp_path), "PORT": "0", **given}.items():
        monkeypatch.setenv(f"TICKETING_{name}", value)
    with pytest.raises(InputError, match="ticketing users add NAME --role admin"):
        command.main([], standalone_mode=False)


def test_old_queries_and_imports_are_forgotten_daily_whatever_happens(monkeypatch):
    asked, outcomes = threading.Semaphore(0), iter([None, StoreAway("It is away."), None])

    class Forgetful:
        def forget_queries(self) -> None:
            """There are none."""

        def forget_imports(self) -> None:
            asked.release()
            if error := next(outcomes, None):
                raise error

    monkeypatch.setattr("web.cli.DAY_SECONDS", 0.01)
    with forgetting(Forgetful()):
        assert all(asked.acquire(timeout=5) for _ in range(3))
    while asked.acquire(blocking=False):
        pass
    assert not asked.acquire(timeout=0.1)


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_where_it_serves_and_ends_cleanly(tmp_path, end):
    """Meanwhile it encodes a ticket that a killed process has left without codes."""
    store = SQLiteStore(tmp_path)
    store.put_tickets([Ticket("A-1", "pump")])
    command = [sys.executable, "-u", "-c", SERVE_A_FAKE, "serve"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TICKETING_HOME": str(tmp_path),
        "TICKETING_PORT": "0",
    }
    server = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's "&" ignores it
    )
    try:
        address = server.stdout.readline().split()[2]
        with urllib.request.urlopen(f"{address}healthz") as answer:
            assert answer.status == 200
        until = time.monotonic() + 10
        while store.stale_ids(store.serving()):
            assert time.monotonic() < until, "the ticket has no codes"
            time.sleep(0.01)
        server.send_signal(end)
        assert server.wait(10) == 0
    finally:
        server.kill()
        server.stdout.close()
    port = int(address.rstrip("/").rsplit(":", 1)[1])
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
