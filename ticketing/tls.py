"""Whether a server speaks TLS. A client with the wrong scheme (http or https) only sees that the
connection was closed."""

import socket
import ssl
from urllib.parse import urlsplit

SECONDS = 2.0
"""Timeout for the server's greeting."""

CLOSED = "without response", "reset by peer", "connection closed by server"
"""Client errors (lower case) after a server closed the connection."""

NOT_TLS = "wrong_version_number", "wrong version number", "record layer failure"
"""OpenSSL errors (lower case) after an answer that is not TLS."""


def wants_tls(address: str, error: Exception) -> bool:
    """Whether a server that closed a connection without TLS speaks TLS."""
    return any(words in str(error).lower() for words in CLOSED) and _greets(address)


def lacks_tls(error: Exception) -> bool:
    """Whether a client that used TLS got an answer without TLS."""
    return any(words in str(error).lower() for words in NOT_TLS)


def answers_plainly(address: str, greeting: bytes) -> bool:
    """Whether a server answers a greeting sent without TLS."""
    parts = urlsplit(address)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 0), SECONDS) as plain:
            plain.settimeout(SECONDS)
            plain.sendall(greeting)
            return bool(plain.recv(1))
    except OSError:
        return False


def _greets(address: str) -> bool:
    parts, context = urlsplit(address), ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # no data is sent
    try:
        with (
            socket.create_connection((parts.hostname or "", parts.port or 0), SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=parts.hostname),
        ):
            return True
    except OSError:  # ssl.SSLError is an OSError too
        return False
