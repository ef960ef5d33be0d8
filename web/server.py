"""The server: waitress, and an end to connections that keep others waiting.

Waitress ends a connection that is silent. It does not end one that sends a byte now and then and
never a whole request, and when it has as many as it may have, it takes no further one. Here every
request must be whole in time, a connection must be read from while there is something to send, and
where there is no room the connection that has waited for its request longest makes room. How long
a request may be is in `web.intake`.
"""

import logging
import socket
import time
from operator import itemgetter
from typing import Any

from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer

from web.intake import IMPORT_BYTES, Request

CONNECTIONS = 500
"""Connections at once; each is a file to the system, which commonly allows a process 1,024."""

PATIENCE = 30.0
"""Seconds until a request has come whole, or until a silent connection is ended."""

UPLOAD_RATE = 50_000
"""Bytes of a body that give its sender a second more, so that a large file may come slowly."""

HELD_BYTES = 2**30
"""Bytes of all bodies that are coming or being answered; beyond it none may grow by a megabyte."""

HEADER_BYTES = 32 * 2**10
"""Bytes of a request's headers; an address as long as a browser sends it fits."""


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that knows since when it waits for its peer."""

    begun = 0.0

    def parser_class(self, adj: Any) -> Request:
        """A new request, of which waitress asks by this name."""
        return Request(adj, self.server)

    def received(self, data: bytes) -> bool:
        """Take what has come; the first bytes of a request begin its time."""
        if self.request is None:
            self.begun = time.time()
        return bool(super().received(data))

    @property
    def waiting_since(self) -> float | None:
        """When its peer became due to go on (seconds since 1970), None where the server is."""
        if self.requests and not self.total_outbufs_len:
            return None
        if self.request is None:
            return float(self.last_activity)
        return self.begun + float(self.request.body_bytes_received) / UPLOAD_RATE


class Server(TcpWSGIServer):  # type: ignore[misc]
    """Waitress with `connections` at most, each with `patience` seconds; `strangers` says whether
    others than this machine's own people can reach it."""

    channel_class = Channel

    def __init__(
        self,
        application: Any,
        listener: socket.socket,
        *,
        trusted_proxy: str = "",
        strangers: bool = True,
        connections: int = CONNECTIONS,
        patience: float = PATIENCE,
    ):
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a short queue is no news
        self.connections = connections
        self.strangers = strangers
        self.patience = patience
        super().__init__(
            application,
            _sock=listener,
            bind_socket=False,
            sockinfo=(listener.family, listener.type, listener.proto, listener.getsockname()),
            max_request_header_size=HEADER_BYTES,
            max_request_body_size=IMPORT_BYTES + 1,  # never reached: see Request
            connection_limit=2 * connections,  # never reached: see handle_accept
            trusted_proxy=trusted_proxy or None,
            trusted_proxy_headers={"x-forwarded-for", "x-forwarded-proto"} if trusted_proxy else (),
            cleanup_interval=1,
            asyncore_use_poll=True,  # select() knows no file above number 1,023
            ident="ticketing",
        )

    def is_full(self) -> bool:
        """Whether all bodies that are held come to as much as is taken."""
        channels = list(self.active_channels.values())
        requests = [one for each in channels for one in (each.request, *each.requests) if one]
        return sum(int(request.body_bytes_received) for request in requests) > HELD_BYTES

    def maintenance(self, now: float) -> None:
        """End the connections whose time is up."""
        for channel in list(self.active_channels.values()):
            since = channel.waiting_since
            if since is not None and since < now - self.patience:
                channel.handle_close()  # at once: nothing more can be sent to who does not read

    def handle_accept(self) -> None:
        """Take a connection; the one that waits longest makes room for it."""
        super().handle_accept()
        if len(self.active_channels) <= self.connections:
            return
        known = [(channel.waiting_since, channel) for channel in self.active_channels.values()]
        waiting = [(since, channel) for since, channel in known if since is not None]
        if waiting:
            min(waiting, key=itemgetter(0))[1].handle_close()
