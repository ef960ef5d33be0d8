"""kombu's Redis transport, with workers that survive an outage of the server.

If a message cannot be acknowledged, because Redis went away during its task or takes no writes, the
original keeps counting it as held. With one message at a time, that worker never takes another one
(celery#8030). Here the message is forgotten; Redis delivers it again later, and tasks may be
repeated.
"""

import logging
from contextlib import suppress
from typing import Any

from kombu.transport import redis, virtual
from redis.exceptions import RedisError, ResponseError

from worker.discarding import UNREADABLE, OnlyMessages, discarded

log = logging.getLogger(__name__)


class QoS(redis.QoS):
    """The messages held by this worker."""

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message in Redis, and forget it in any case."""
        try:
            super().ack(delivery_tag)
        except (RedisError, OSError) as error:
            log.warning("The broker does not answer (%s); a batch may be done twice.", error)
            virtual.QoS.ack(self, delivery_tag)


class Channel(redis.Channel):
    """Messages are lists in Redis; those being worked on are in a hash."""

    QoS = QoS

    def _brpop_read(self, **options: Any) -> bool:
        """Deliver the message that was received, which is already removed from the list."""
        try:
            return bool(super()._brpop_read(**options))  # type: ignore[misc]  # no stub
        except UNREADABLE as error:
            discarded("Redis", error)
            return True

    def maybe_refresh_binding_expiry(self) -> None:
        """Renew the expiry of queues. If the server takes no writes, the sender of work reports
        that; a traceback here each time would not help."""
        with suppress(ResponseError):
            super().maybe_refresh_binding_expiry()  # type: ignore[misc]  # no stub


class Transport(OnlyMessages, redis.Transport):
    """The transport that `worker.app` uses if a Redis server is set."""

    Channel = Channel
