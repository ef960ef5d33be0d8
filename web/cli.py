"""`ticketing serve`: the page and the API on waitress."""

import errno
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import click

from ticketing.cli.printing import say
from ticketing.cli.waiting import shown_waiting
from ticketing.desk import Desk, open_desk
from ticketing.errors import InputError, TicketingError
from ticketing.repeating import repeating
from ticketing.settings import load_settings
from web.app import create_app
from web.security import is_open, serves_others
from web.server import Server

DAY_SECONDS = 24 * 3600
JOIN_SECONDS = 5

LEFT_SECONDS = 60.0
"""Seconds between two looks for tickets that a killed process left without codes."""


@click.command()
def serve() -> None:
    """Serve the page and the JSON API until Ctrl-C."""
    settings = load_settings()
    with (
        listening_socket(settings.host, settings.port) as listener,
        closing(open_desk(settings)) as desk,
    ):
        require_account(desk)
        serve_desk(desk, listener)


def require_account(desk: Desk) -> None:
    """Raises InputError if others can reach the desk and nobody would have to sign in."""
    settings = desk.settings
    if serves_others(settings) and not settings.openid_issuer and not desk.has_accounts():
        raise InputError(
            "Others could reach this page and nobody would have to sign in; add the first account "
            "with `ticketing users add NAME --role admin`, or leave TICKETING_HOST, "
            "TICKETING_ALLOWED_HOSTS and TICKETING_TRUSTED_PROXY out to serve this machine only."
        )


def listening_socket(host: str, port: int) -> socket.socket:
    """A bound socket; port 0 takes a free one.

    Raises InputError if the address cannot be used, naming the setting to change.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        raise InputError(_why_not(error, host, port)) from None
    except UnicodeError:  # a part is too long for a host name
        raise InputError(f"TICKETING_HOST={host[:40]}… is no address; write another.") from None


def _why_not(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} is taken by another program; choose another one with TICKETING_PORT=…, "
            "or 0 for any free one."
        )
    if error.errno == errno.EACCES:
        return f"Port {port} is reserved for the system; choose one with TICKETING_PORT=8000."
    return (
        f"TICKETING_HOST={host} is no address of this machine ({error.strerror}); name one of its"
        " own, or 0.0.0.0 for all of them."
    )


def serve_desk(desk: Desk, listener: socket.socket) -> None:
    """Serve a desk on a bound socket and print the address; returns after a KeyboardInterrupt.

    Bundles are loaded before, and no thread is left that loads or compiles, so the first answer is
    as fast as later ones. If a bundle cannot be loaded, the page says why.
    """
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)  # queries are short: threads of a product would only wait
    try:
        with shown_waiting("Loading the model"):
            desk.warm_up()
    except TicketingError as error:
        say(f"ticketing: {error}", error=True)
    settings = desk.settings
    server = Server(
        create_app(desk),
        listener,
        trusted_proxy=settings.trusted_proxy,
        strangers=not is_open(settings),
    )
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    say(f"Serving on http://{shown}:{port}/ (Ctrl-C ends it)")
    with forgetting(desk), repeating(desk.encode_left, LEFT_SECONDS):
        server.run()


@contextmanager
def forgetting(desk: Desk) -> Iterator[None]:
    """Context manager: delete old queries and files of old imports at the beginning, then daily."""
    ended = threading.Event()
    thread = threading.Thread(target=_forget_daily, args=(desk, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(JOIN_SECONDS)


def _forget_daily(desk: Desk, ended: threading.Event) -> None:
    while not ended.is_set():
        try:
            desk.forget_queries()
            desk.forget_imports()
        except TicketingError as error:  # tried again tomorrow
            if not ended.is_set():  # else the store was closed meanwhile
                say(f"ticketing: {error}", error=True)
        ended.wait(DAY_SECONDS)
