"""The way to the broker: every step has a time limit, and what fails is one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

from celery import Celery
from kombu import Connection
from kombu.exceptions import OperationalError

from ticketing.errors import BrokerAway
from ticketing.masking import masked
from worker.queues import QUEUE


@contextmanager
def connected(app: Celery) -> Iterator[Connection]:
    """A connection of our own to the broker. What the block cannot send raises BrokerAway."""
    try:
        with app.connection_for_write() as connection:
            connection.default_channel  # noqa: B018  connects, within the time limits
            yield connection
    except OperationalError as error:
        address = masked(app.conf.broker_url)
        raise BrokerAway(
            f"The broker {address} does not answer ({masked(str(error)).rstrip('.')}); start it, or"
            " correct TICKETING_BROKER."
        ) from error


def waiting_messages(app: Celery, queue: str = QUEUE) -> int:
    """How many messages wait in a queue for a worker. Raises BrokerAway."""
    with connected(app) as connection:
        channel = connection.default_channel
        declared = channel.queue_declare(queue)  # type: ignore[attr-defined]  # the stub lacks it
        return int(declared.message_count)
