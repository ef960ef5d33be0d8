"""kombu's Redis transport with a worker that outlives its server.

A message that cannot be acknowledged, since Redis went away during its task or takes no writes,
counts as held in the original: at one message at a time that worker never takes another
(celery#8030). Here it is forgotten; Redis hands it out again later, and tasks may be repeated.
"""

import logging
from contextlib import suppress
from typing import Any

from kombu.transport import redis, virtual
from redis.exceptions import RedisError, ResponseError

from worker.discarding import UNREADABLE, OnlyMessages, discarded

log = logging.getLogger(__name__)


class QoS(redis.QoS):
    """The messages that this worker holds."""

    def ack(self, delivery_tag: str) -> None:
        """Tell Redis that a message was dealt with, and hold it no longer in any case."""
        try:
            super().ack(delivery_tag)
        except (RedisError, OSError) as error:
            log.warning("The broker does not answer (%s); a batch may be done twice.", error)
            virtual.QoS.ack(self, delivery_tag)


class Channel(redis.Channel):
    """Messages are lists in Redis, those being worked on a hash."""

    QoS = QoS

    def _brpop_read(self, **options: Any) -> bool:
        """Deliver the message that came, which is off the list by now whatever it is."""
        try:
            return bool(super()._brpop_read(**options))  # type: ignore[misc]  # no stub
        except UNREADABLE as error:
            discarded("Redis", error)
            return True

    def maybe_refresh_binding_expiry(self) -> None:
        """Keep what queues there are from running out; a server that takes no writes is said to be
        away by whoever sends work, not here with a traceback each time."""
        with suppress(ResponseError):
            super().maybe_refresh_binding_expiry()  # type: ignore[misc]  # no stub


class Transport(OnlyMessages, redis.Transport):
    """The transport that `worker.app` uses when a Redis server is named."""

    Channel = Channel
