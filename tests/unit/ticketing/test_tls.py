"""Servers that are named by the wrong scheme."""

import socket
import ssl
import subprocess
import threading
from contextlib import closing, contextmanager, suppress

import pytest

from ticketing.errors import BrokerAway
from ticketing.settings import load_settings
from ticketing.tls import answers_plainly, wants_tls
from worker.app import make_app
from worker.connection import connected


@pytest.fixture(scope="module")
def tls_port(tmp_path_factory):
    """Where a server greets by TLS, and closes the line on whoever does not."""
    key, certificate = (tmp_path_factory.mktemp("tls") / name for name in ("key", "crt"))
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    made = [*command, "-nodes", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate]
    subprocess.run(made, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with listening(lambda line: context.wrap_socket(line, server_side=True).close()) as port:
        yield port


@contextmanager
def listening(answer):
    """The port on which each connection is answered, one after the other, and closed."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def serve():
            with suppress(OSError):  # it is closed at the end
                while True:
                    line, _ = server.accept()
                    with line, suppress(OSError):
                        answer(line)

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


def said(error="Connection closed by server."):
    return ConnectionError(error)


def test_a_server_that_greets_by_tls_wants_it(tls_port):
    assert wants_tls(f"http://127.0.0.1:{tls_port}", said())
    assert not wants_tls(f"http://127.0.0.1:{tls_port}", said("no route to host"))
    assert not answers_plainly(f"rediss://127.0.0.1:{tls_port}/0", b"PING\r\n")


def test_a_server_without_tls_does_not():
    with listening(lambda line: line.sendall(b"+PONG\r\n")) as port:
        assert not wants_tls(f"redis://127.0.0.1:{port}", said())
        assert answers_plainly(f"rediss://127.0.0.1:{port}", b"PING\r\n")
    assert not answers_plainly("rediss://127.0.0.1:1", b"PING\r\n")  # nobody listens


def test_a_broker_that_is_named_by_the_wrong_scheme_is_said(tls_port, tmp_path):
    app = make_app(load_settings(home=tmp_path, broker=f"redis://:word@127.0.0.1:{tls_port}/0"))
    with pytest.raises(BrokerAway) as away, connected(app):
        pass
    assert str(away.value) == (
        f"The broker redis://***@127.0.0.1:{tls_port}/0 is named by the wrong scheme; write"
        " rediss:// in TICKETING_BROKER."
    )
