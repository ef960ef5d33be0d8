"""Slow and idle connections end, and none of them keeps others from being served."""

import json
import socket
import threading
import time
from collections import Counter
from contextlib import ExitStack, contextmanager

import pytest

from tests.live.encoding_desk import wait_until
from web.app import BODY_LIMIT
from web.cli import listening_socket
from web.forms import STRANGERS_BYTES
from web.intake import IMPORT_BYTES
from web.server import Channel, Server
from web.uploads import IMPORT_PATHS, TAKE_FILES

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
        wait_until(lambda: len(looks) == 6)
        monkeypatch.undo()
        assert answered(port) < 30


def test_a_silent_connection_is_ended():
    with serving(patience=1) as port, ExitStack() as stack:
        silent, half = connected(port, stack), connected(port, stack, HALF)
        kept = connected(port, stack, WHOLE)
        assert kept.recv(15) == b"HTTP/1.1 200 OK"
        assert all(ended(connection, 30) for connection in (silent, half, kept))


def test_a_file_may_come_for_longer_than_a_silent_request():
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n"
    head += b"Cookie: session=x\r\n\r\n"
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


# long bodies --------------------------------------------------------------------------------

COOKIE, TOKEN = b"Cookie: session=x\r\n", b"Authorization: Bearer x\r\n"


def head(path: str, length: int, shown: bytes = b"", method: str = "POST") -> bytes:
    """Of a request whose sender waits for leave to send the body."""
    begun = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n"
    return begun.encode() + b"Expect: 100-continue\r\n" + shown + b"\r\n"


def answer(port: int, *sent: bytes) -> tuple[int, str, str]:
    """The first status, and the headers and the sentence of a request that was refused."""
    with ExitStack() as stack:
        connection = connected(port, stack, *sent)
        said = connection.recv(65536)
        status = int(said.split()[1])
        while status > 200 and (more := connection.recv(65536)):
            said += more
    headers, _, body = said.decode().partition("\r\n\r\n")
    return status, headers, body.strip()


LENGTHS = {
    "a stranger's": ("/", b"", STRANGERS_BYTES),
    "a stranger's import": ("/jobs/import", b"", STRANGERS_BYTES),
    "a stranger's import by the API": ("/api/imports", b"", STRANGERS_BYTES),
    "a person's": ("/", COOKIE, BODY_LIMIT),
    "a program's": ("/api/recommend", TOKEN, BODY_LIMIT),
    "a person's import": ("/jobs/import", COOKIE, IMPORT_BYTES),
    "a program's import": ("/api/imports?name=a.csv", TOKEN, IMPORT_BYTES),
    "what is like an import": ("/jobs/import/", COOKIE, BODY_LIMIT),
}


@pytest.mark.parametrize(("path", "shown", "most"), LENGTHS.values(), ids=LENGTHS)
def test_a_body_is_as_long_as_its_address_and_its_sender_allow(path, shown, most):
    """Anybody's 80 MB were written to a file before anybody was asked."""
    with serving() as port:
        assert answer(port, head(path, most, shown))[0] == 100
        status, headers, said = answer(port, head(path, most + 1, shown))
    assert status == 413
    if path.startswith("/api/"):
        assert "application/json" in headers
        said = json.loads(said)["error"]
    if most == IMPORT_BYTES:
        assert said.startswith("The file is larger than the 64 MB that can be sent; split it,")
        return
    size = {STRANGERS_BYTES: "64 KB", BODY_LIMIT: "16 MB"}[most]
    asked = "That is too much text;" if shown else "Sign in first, or send a token; else"
    assert said == f"{asked} at most {size} can be sent at once."


def test_a_browser_is_told_on_a_page_that_its_file_is_too_large():
    """Without scripts, the sentence stood alone on a bare page, with no way on."""
    shown = COOKIE + b"Accept: text/html,application/xhtml+xml\r\n"
    with serving() as port:
        status, headers, said = answer(port, head("/jobs/import", IMPORT_BYTES + 1, shown))
    assert status == 413 and "Content-Type: text/html; charset=utf-8" in headers
    assert "<h1>The file is larger than the 64 MB that can be sent; split it," in said
    assert "or run <code>ticketing import</code> on the server.</h1>" in said
    assert 'href="/static/page.css"' in said and '<a class="button quiet" href="/">' in said


def test_a_body_that_does_not_say_how_long_it_is_ends_where_it_is_too_long():
    begun = b"POST /jobs/import HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    chunk = b"ffff\r\n" + b"x" * 0xFFFF + b"\r\n"
    with serving() as port:
        assert answer(port, begun + b"\r\n", chunk)[0] == 413
        assert answer(port, begun + COOKIE + b"\r\n", chunk, chunk, b"0\r\n\r\n")[0] == 200


def test_a_desk_of_this_machine_alone_takes_a_file_without_cookie_and_token():
    with serving(strangers=False) as port:
        assert answer(port, head("/api/imports", IMPORT_BYTES))[0] == 100
        assert answer(port, head("/", BODY_LIMIT + 1))[0] == 413


def test_only_what_is_sent_is_long():
    with serving() as port:
        assert answer(port, head("/jobs/import", BODY_LIMIT + 1, COOKIE, "PUT"))[0] == 413


def test_the_addresses_that_take_long_bodies_are_those_that_take_files(client):
    rules = client.application.url_map.iter_rules()
    assert {rule.rule for rule in rules if rule.endpoint in TAKE_FILES} == IMPORT_PATHS


def test_all_bodies_together_have_a_limit(monkeypatch):
    monkeypatch.setattr("web.server.HELD_BYTES", 2**20)
    megabyte = b"x" * 2**20
    begun = head("/jobs/import", 2**20, COOKIE).replace(b"Expect: 100-continue\r\n", b"")
    with serving() as port, ExitStack() as stack:
        assert answer(port, begun, megabyte)[0] == 200
        held = connected(port, stack, begun, megabyte[1:])
        tries = (answer(port, begun, megabyte) for _ in range(1000))
        _, headers, said = next(one for one in tries if one[0] == 503)
        assert "Retry-After: 60" in headers
        assert said == "Too much is being sent here just now; try again."
        assert answered(port) < 30
        held.close()
        assert any(answer(port, begun, megabyte)[0] == 200 for _ in range(1000))
