"""Slow and idle connections end, and none of them keeps others from being served."""

import socket
import threading
import time
from collections import Counter
from contextlib import ExitStack, contextmanager

import pytest

from web.cli import listening_socket
from web.server import Channel, Server

HALF = b"GET / HTTP/1.1\r\nHost: local"
WHOLE = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
MEGABYTE = 1_000_000


def application(environ, start_response):
    """Answers with its path's number of blocks of a megabyte, or after its path's seconds."""
    what, _, number = environ["PATH_INFO"].strip("/").partition("/")
    if what == "slow":
        time.sleep(float(number))
    if what == "who":
        start_response("200 OK", [])
        names = ("REMOTE_ADDR", "wsgi.url_scheme", "HTTP_HOST")
        return [" ".join(environ[name] for name in names).encode()]
    blocks = int(number) if what == "large" else 1
    start_response("200 OK", [("Content-Length", str(blocks * MEGABYTE))])
    return (b"x" * MEGABYTE for _ in range(blocks))


@contextmanager
def serving(**options):
    """The port of a running server."""
    listener = listening_socket("127.0.0.1", 0)
    server = Server(application, listener, **options)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.task_dispatcher.shutdown(cancel_pending=True, timeout=1)
        server.close()
        thread.join(5)


def connected(port: int, stack: ExitStack, *sent: bytes) -> socket.socket:
    """A connection that has sent something."""
    connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
    for some in sent:
        connection.sendall(some)
    return connection


def answered(port: int) -> float:
    """Seconds until a whole request is answered."""
    begun = time.monotonic()
    with ExitStack() as stack:
        assert connected(port, stack, WHOLE).recv(15) == b"HTTP/1.1 200 OK"
    return time.monotonic() - begun


def ended(connection: socket.socket, seconds: float) -> bool:
    """Whether the server ends a connection in that time."""
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except ConnectionResetError:
        pass
    return True


WHOM_IT_BELIEVES = {
    "nobody": ("", "127.0.0.1 http"),
    "the proxy that asks": ("127.0.0.1", "192.0.2.7 https"),
    "any proxy": ("*", "192.0.2.7 https"),
    "no other machine": ("192.0.2.1", "127.0.0.1 http"),
}


@pytest.mark.parametrize(("proxy", "believed"), WHOM_IT_BELIEVES.values(), ids=WHOM_IT_BELIEVES)
def test_only_a_trusted_proxy_says_who_asks_and_how(proxy, believed):
    """It adds the address that it sees to what it was told."""
    forwarded = b"GET /who HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Proto: https\r\n"
    forwarded += b"X-Forwarded-For: 198.51.100.9, 192.0.2.7\r\nX-Forwarded-Host: evil\r\n"
    forwarded += b"Connection: close\r\n\r\n"
    with serving(trusted_proxy=proxy) as port, ExitStack() as stack:
        answer = connected(port, stack, forwarded).makefile("rb")
        assert answer.readlines()[-1].decode().endswith(f"{believed} localhost")


@pytest.mark.parametrize("sent", [(), (HALF,)], ids=["silent", "half-open"])
def test_105_connections_that_ask_nothing_keep_nobody_waiting(sent):
    """They silenced the server for two minutes."""
    with serving() as port, ExitStack() as stack:
        held = [connected(port, stack, *sent) for _ in range(105)]
        assert answered(port) < 30
        assert not ended(held[-1], 0.01)


def test_more_connections_than_it_may_hold_keep_nobody_waiting():
    with serving(connections=20) as port, ExitStack() as stack:
        held = [connected(port, stack, HALF) for _ in range(60)]
        assert answered(port) < 30
        assert all(ended(connection, 30) for connection in held[:35])
        assert not ended(held[-1], 0.01)


def test_a_connection_that_goes_on_while_room_is_made_does_not_end_the_server(monkeypatch):
    """A worker may end its answer between two looks at a connection."""
    waiting = Channel.waiting_since.fget
    looks = Counter()

    def once(channel):
        looks[channel] += 1
        return waiting(channel) if looks[channel] == 1 else None

    with serving(connections=5) as port, ExitStack() as stack:
        for _ in range(5):
            connected(port, stack)
        monkeypatch.setattr(Channel, "waiting_since", property(once))
        connected(port, stack)
        time.sleep(0.5)
        monkeypatch.undo()
        assert answered(port) < 30


def test_a_silent_connection_is_ended():
    with serving(patience=1) as port, ExitStack() as stack:
        silent, half = connected(port, stack), connected(port, stack, HALF)
        kept = connected(port, stack, WHOLE)
        assert kept.recv(15) == b"HTTP/1.1 200 OK"
        assert all(ended(connection, 30) for connection in (silent, half, kept))


def test_a_file_may_come_for_longer_than_a_silent_request():
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n"
    with serving(patience=0.5) as port, ExitStack() as stack:
        sending = connected(port, stack, head)
        for _ in range(20):
            sending.sendall(b"x" * 10_000)
            time.sleep(0.1)
        assert sending.recv(15) == b"HTTP/1.1 200 OK"


def test_a_request_that_comes_in_drips_is_ended():
    with serving(patience=1) as port, ExitStack() as stack:
        drips, begun = connected(port, stack, HALF), time.monotonic()
        with pytest.raises(OSError):
            while time.monotonic() < begun + 60:
                drips.sendall(b"x")
                time.sleep(0.2)
        assert time.monotonic() < begun + 30


def test_an_answer_that_nobody_reads_does_not_hold_a_thread():
    with serving(patience=1) as port, ExitStack() as stack:
        request = b"GET /large/50 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        held = [connected(port, stack, request) for _ in range(8)]
        assert answered(port) < 30
        assert all(ended(connection, 30) for connection in held)


def test_a_request_that_takes_long_to_answer_is_answered():
    with serving(patience=1) as port, ExitStack() as stack:
        slow = connected(port, stack, b"GET /slow/2.5 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert slow.recv(15) == b"HTTP/1.1 200 OK"
