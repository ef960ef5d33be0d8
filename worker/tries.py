"""Messages whose work ended its process, or took too long: sent again, with their count."""

import logging
from typing import Any

from billiard.einfo import ExceptionWithTraceback  # type: ignore[attr-defined]  # no stub
from billiard.exceptions import TimeLimitExceeded, WorkerLostError
from celery import Task
from celery.worker import request, state

log = logging.getLogger(__name__)

TRIES = 3
"""How often a message may end the process that works on it before its job fails."""


class CountedRequest(request.Request):
    """What the worker's main process knows of a message that its pool works on."""

    def on_failure(
        self, exc_info: Any, send_failed_event: bool = True, return_ok: bool = False
    ) -> Any:
        """Send the message again where its process is gone; anything else is Celery's."""
        error = exc_info.exception
        if isinstance(error, ExceptionWithTraceback):
            error = error.exc
        if isinstance(error, (TimeLimitExceeded, WorkerLostError)):
            return self._send_again(error)
        return super().on_failure(exc_info, send_failed_event, return_ok)

    def on_timeout(self, soft: bool, timeout: float) -> None:
        """`on_failure` has been told of it."""

    def _send_again(self, error: Exception) -> None:
        state.task_ready(self)
        if self.acknowledged:
            return
        why = "took too long" if isinstance(error, TimeLimitExceeded) else "lost its process"
        log.warning("%s %s; it is sent again", self.name, why)
        context = self._context  # type: ignore[attr-defined]  # the stub lacks it
        once_more = self.task.signature_from_request(context, retries=context.retries + 1)
        try:
            once_more.apply_async()
        except Exception as trouble:  # the broker is away: it hands the message out again later
            log.warning("%s could not be sent again (%s)", self.name, trouble)
            self.reject(requeue=True)
        else:
            self.acknowledge()


class CountedTask(Task[Any, Any]):
    """A task whose message counts in `request.retries` how many processes it has ended."""

    Request = "worker.tries:CountedRequest"
    abstract = True
