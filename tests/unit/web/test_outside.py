"""A server of others that hangs holds one of our threads at most, and not for each request."""

import socket
import threading
from contextlib import contextmanager

import pytest

from tests.fake_desk import FakeDesk
from ticketing.settings import Settings
from web import outside
from web.app import create_app
from web.outside import Trouble


class Gone(Exception):
    """It does not answer."""


def test_while_one_asks_others_hear_what_was_known():
    asked, answer = threading.Event(), threading.Event()

    def ask():
        asked.set()
        assert answer.wait(60)
        return Gone("away")

    trouble = Trouble(ask)
    first = threading.Thread(target=trouble.now)
    first.start()
    assert asked.wait(60) and trouble.now() is None
    answer.set()
    first.join()
    assert str(trouble.now()) == "away"


def test_who_did_not_answer_is_left_alone_for_a_while_and_who_did_is_asked_again(monkeypatch):
    now, said, asked = 100.0, [Gone("away"), None, None], []
    monkeypatch.setattr(outside.time, "monotonic", lambda: now)

    def ask():
        asked.append(now)
        return said.pop(0)

    trouble = Trouble(ask)
    assert str(trouble.now()) == str(trouble.now()) == "away"
    now += outside.REST_SECONDS
    assert trouble.now() is trouble.now() is None
    assert asked == [100.0, 105.0, 105.0]


def test_an_error_of_our_own_lets_the_next_ask():
    def ask():
        raise ZeroDivisionError

    trouble = Trouble(ask)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            trouble.now()


@contextmanager
def silent_server():
    """Takes connections and says nothing; gives its port and those who came."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as server:
        came = []

        def take():
            while True:
                try:
                    came.append(server.accept()[0])
                except OSError:
                    return

        threading.Thread(target=take, daemon=True).start()
        yield server.getsockname()[1], came
        server.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("path", ["/healthz", "/sign-in/openid"])
def test_of_many_requests_that_ask_a_silent_server_one_waits(tmp_path, monkeypatch, path):
    monkeypatch.setattr(outside, "REST_SECONDS", 60.0)
    monkeypatch.setattr("worker.app.ANSWER_SECONDS", 1.0)
    monkeypatch.setattr("web.openid.PROVIDER_SECONDS", 1.0)
    with silent_server() as (port, came):
        address = f"127.0.0.1:{port}"
        settings = Settings(
            home=tmp_path,
            broker="redis://" + address if path == "/healthz" else "",
            openid_issuer=f"http://{address}",
            openid_client_id="ticketing",
            openid_client_secret="secret",
            openid_roles="*=engineer",
        )
        desk = FakeDesk(settings)
        app, statuses = create_app(desk), []

        def ask():
            statuses.append(app.test_client().get(path).status_code)

        threads = [threading.Thread(target=ask) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        again = len(came)
        ask()
        assert len(came) == again
        desk.close()
    assert set(statuses) == ({200} if path == "/healthz" else {503})
    assert 0 < again < 12
