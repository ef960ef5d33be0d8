"""Whether a server speaks TLS: who names it by the wrong scheme hears only that the line closed."""

import socket
import ssl
from urllib.parse import urlsplit

SECONDS = 2.0
"""How long a server may take to greet."""

CLOSED = "without response", "reset by peer", "connection closed by server"
"""What a client says, in lower case, of a server that did not understand it at all."""

NOT_TLS = "wrong_version_number", "wrong version number", "record layer failure"
"""What OpenSSL says, in lower case, of an answer that is no TLS."""


def wants_tls(address: str, error: Exception) -> bool:
    """Whether a server closed the line on a client that spoke without TLS, and speaks it."""
    return any(words in str(error).lower() for words in CLOSED) and _greets(address)


def lacks_tls(error: Exception) -> bool:
    """Whether a client that spoke TLS was answered without it."""
    return any(words in str(error).lower() for words in NOT_TLS)


def answers_plainly(address: str, greeting: bytes) -> bool:
    """Whether a server answers a greeting that is sent without TLS."""
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
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # nothing is sent to it
    try:
        with (
            socket.create_connection((parts.hostname or "", parts.port or 0), SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=parts.hostname),
        ):
            return True
    except OSError:  # so is ssl.SSLError
        return False
