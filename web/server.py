"""The server: waitress, with limits on slow connections.

Waitress closes silent connections. It does not close one that sends a byte now and then but never a
complete request, and when it has its maximum of connections, it accepts no more. Here, every
request must be complete in time, and the client must read while there is data for it. If there is
no room, the connection that has waited longest for its request is closed. The maximum size of
requests is in `web.intake`.
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
"""Maximum number of connections; each needs a file descriptor, and 1,024 is a common limit."""

PATIENCE = 30.0
"""Seconds for a request to arrive completely, and for a silent connection."""

UPLOAD_RATE = 50_000
"""Bytes of a body that extend the time by a second, so that large files may arrive slowly."""

HELD_BYTES = 2**30
"""Maximum bytes of all bodies being received or answered; beyond it, none may grow by a
megabyte."""

HEADER_BYTES = 32 * 2**10
"""Maximum bytes of a request's headers; the longest address that a browser sends fits."""


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that knows since when it waits for its client."""

    begun = 0.0

    def parser_class(self, adj: Any) -> Request:
        """Create a request; waitress calls this by its name."""
        return Request(adj, self.server)

    def received(self, data: bytes) -> bool:
        """Take received data; the first bytes of a request start its time limit."""
        if self.request is None:
            self.begun = time.time()
        return bool(super().received(data))

    @property
    def waiting_since(self) -> float | None:
        """Since when (seconds since 1970) the client has been due to continue; None while the
        server is."""
        if self.requests and not self.total_outbufs_len:
            return None
        if self.request is None:
            return float(self.last_activity)
        return self.begun + float(self.request.body_bytes_received) / UPLOAD_RATE


class Server(TcpWSGIServer):  # type: ignore[misc]
    """Waitress with at most `connections`, each with `patience` seconds. `strangers` says whether
    others than people of this machine can reach it."""

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
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a short queue is normal
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
            asyncore_use_poll=True,  # select() fails above descriptor 1,023
            ident="ticketing",
        )

    def is_full(self) -> bool:
        """Whether the bodies held have reached their total limit."""
        channels = list(self.active_channels.values())
        requests = [one for each in channels for one in (each.request, *each.requests) if one]
        return sum(int(request.body_bytes_received) for request in requests) > HELD_BYTES

    def maintenance(self, now: float) -> None:
        """Close connections whose time is up."""
        for channel in list(self.active_channels.values()):
            since = channel.waiting_since
            if since is not None and since < now - self.patience:
                channel.handle_close()  # at once: the client does not read

    def handle_accept(self) -> None:
        """Accept a connection; if there is no room, close the one that has waited longest."""
        super().handle_accept()
        if len(self.active_channels) <= self.connections:
            return
        known = [(channel.waiting_since, channel) for channel in self.active_channels.values()]
        waiting = [(since, channel) for since, channel in known if since is not None]
        if waiting:
            min(waiting, key=itemgetter(0))[1].handle_close()
