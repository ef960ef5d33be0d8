"""Celery's consumer with short log lines for outages and invalid messages."""

import logging
import warnings
from typing import Any

from celery import bootsteps
from celery.exceptions import CPendingDeprecationWarning
from celery.worker import consumer

from worker.connection import broker_away
from worker.discarding import discarded
from worker.outage import Outage

LOGGER, TASKS_LOGGER = "celery.worker.consumer.consumer", "celery.app.trace"

CONNECTION_LINES = (
    "on_connection_error_before_connected",
    "on_connection_error_after_connected",
    "_error_handler",
    "start",
)
"""Functions of Celery's consumer that log at each attempt that the broker is away."""


class Consumer(consumer.Consumer):
    """Discards invalid messages with one log line each."""

    def on_unknown_message(self, body: Any, message: Any) -> None:
        """Discard a message without a task name."""
        self._discard(message, ValueError("it names no task"))

    def on_unknown_task(self, body: Any, message: Any, exc: Exception) -> None:
        """Discard a message with an unknown task name."""
        self._discard(message, ValueError(f"there is no task {message.headers['task']!r}"))

    def on_invalid_task(self, body: Any, message: Any, exc: Exception) -> None:
        """Discard a message with inconsistent parts."""
        self._discard(message, exc)

    def on_decode_error(self, message: Any, exc: Exception) -> None:
        """Discard a message whose content cannot be decoded."""
        self._discard(message, exc)

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Reconnect. Celery warns that a batch continues meanwhile, but this is intended."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CPendingDeprecationWarning)
            super().on_connection_error_after_connected(exc)

    def _discard(self, message: Any, error: Exception) -> None:
        discarded(message.delivery_info.get("routing_key", "the broker"), error)
        lost = self.connection_errors  # type: ignore[attr-defined]  # the stub lacks it
        message.reject_log_error(logging.getLogger(__name__), lost)


def say_outages_once(app: Any, broker: Outage) -> None:
    """Let only `broker` log that the app's broker is away or back. Messages sent back to it were
    already explained by the sender."""

    class Back(bootsteps.StartStopStep):
        requires = ("celery.worker.consumer.tasks:Tasks",)

        def start(self, parent: Any) -> None:
            broker.over()

    def is_no_outage(record: logging.LogRecord) -> bool:
        if record.funcName not in CONNECTION_LINES:
            return True
        errors = [value for value in record.args or () if isinstance(value, Exception)]
        for error in errors:
            broker.away(broker_away(app, error))
        return not errors

    app.steps["consumer"].add(Back)

    def is_not_sent_back(record: logging.LogRecord) -> bool:
        return getattr(record, "data", {}).get("description") != "rejected"

    logging.getLogger(LOGGER).addFilter(is_no_outage)
    logging.getLogger(TASKS_LOGGER).addFilter(is_not_sent_back)
