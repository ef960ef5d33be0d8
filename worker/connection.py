"""Connections to the broker, with time limits and errors as one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from urllib.parse import urlsplit

from celery import Celery
from kombu import Connection
from kombu.exceptions import OperationalError

from ticketing.errors import BrokerAway, BrokerFull
from ticketing.redaction import masked
from ticketing.tls import answers_plainly, wants_tls
from worker.queues import QUEUE

REFUSALS = {
    "authentication required": "asks for a password; set TICKETING_BROKER_PASSWORD",
    "invalid username-password pair": "refuses the password; correct TICKETING_BROKER_PASSWORD",
    "invalid password": "refuses the password; correct TICKETING_BROKER_PASSWORD",
    "without any password configured": "has no password; leave TICKETING_BROKER_PASSWORD empty",
    "no password is set": "has no password; leave TICKETING_BROKER_PASSWORD empty",
    "read only replica": "is a replica and takes no writes; name the primary in TICKETING_BROKER",
    "'maxmemory'": "takes no writes, as its memory is full; free some, or raise its maxmemory",
    "misconf": "takes no writes, as it cannot keep them on its disk; free some room there",
}
"""Messages with which Redis refuses, in any version, and what to do."""

WRITABLE = f"{QUEUE}.writable"
"""A key that is written to check whether Redis takes writes."""

WRITABLE_SECONDS = 60
"""Seconds after which that key expires."""

PROBE_BYTES = 1 << 12
"""Bytes written to an unnamed file to check whether a folder takes messages."""

UNTRUSTED = "certificate verify failed"
"""OpenSSL's message, in lower case, for a certificate of an unknown authority."""


@contextmanager
def connected(app: Celery) -> Iterator[Connection]:
    """Context manager: a new connection to the broker. Errors of sending in the block become
    BrokerAway."""
    with app.connection_for_write() as connection:
        try:
            connection.default_channel  # noqa: B018  connects, within the time limits
            _require_password(connection)
            yield connection
        except _failures(connection) as error:
            raise broker_away(app, error) from error


def _failures(connection: Connection) -> tuple[type[Exception], ...]:
    """Exceptions of a broker that is away or (Redis) refuses, or of the disk if messages are
    files."""
    if connection.transport.driver_type != "redis":
        return (OperationalError, OSError)
    from redis.exceptions import RedisError  # an optional part

    return (OperationalError, RedisError)


def _require_password(connection: Connection) -> None:
    """Raises an error if a password is set for a Redis that has none: it would let anybody in, with
    any password."""
    if not connection.password or connection.userid:
        return
    try:
        connection.default_channel.client.auth(connection.password)  # type: ignore[attr-defined]
    except connection.connection_errors + connection.channel_errors as error:
        raise OperationalError(str(error)) from error


def broker_away(app: Celery, error: Exception) -> BrokerAway:
    """The error for a broker that cannot be reached or refuses, with the reason."""
    if isinstance(error, OSError) and (folder := _folder(app)):
        return BrokerFull(
            f"The folder {folder} takes no messages ({error.strerror}); free some room on its disk,"
            " or let it be written to."
        )
    address, said = masked(app.conf.broker_url), masked(str(error)).rstrip(".")
    for words, sentence in REFUSALS.items():
        if words in said.lower():
            return BrokerAway(f"The broker {address} {sentence}.")
    if UNTRUSTED in said.lower():
        return BrokerAway(
            f"The certificate of {address} is not trusted; name the file of its certificate"
            " authority in TICKETING_BROKER_CA."
        )
    if scheme := _other_scheme(app.conf.broker_url, error):
        return BrokerAway(
            f"The broker {address} is named by the wrong scheme; write {scheme}:// in"
            " TICKETING_BROKER."
        )
    return BrokerAway(
        f"The broker {address} does not answer ({said}); start it, or correct TICKETING_BROKER."
    )


def _other_scheme(address: str, error: Exception) -> str:
    """The other scheme (with or without TLS), if Redis must be addressed by that."""
    scheme = urlsplit(address).scheme
    if scheme == "redis" and wants_tls(address, error):
        return "rediss"
    if scheme == "rediss" and answers_plainly(address, b"PING\r\n"):
        return "redis"
    return ""


def waiting_messages(app: Celery, queue: str = QUEUE) -> int:
    """Number of messages waiting in a queue. Raises BrokerAway, also if the broker takes no more
    messages."""
    with connected(app) as connection:
        channel = connection.default_channel
        if folder := _folder(app):
            with TemporaryFile(dir=folder, buffering=0) as probe:
                probe.write(bytes(PROBE_BYTES))
        else:
            channel.client.set(WRITABLE, "", ex=WRITABLE_SECONDS)  # type: ignore[attr-defined]
        declared = channel.queue_declare(queue)  # type: ignore[attr-defined]  # the stub lacks it
        return int(declared.message_count)


def _folder(app: Celery) -> str:
    """The folder of messages, or "" with Redis."""
    return str(app.conf.broker_transport_options.get("data_folder_in", ""))
