"""Messages whose work killed its process or took too long: they are sent again, or their jobs
fail."""

import logging
from typing import Any

from billiard.einfo import ExceptionWithTraceback  # type: ignore[attr-defined]  # no stub
from billiard.exceptions import TimeLimitExceeded, WorkerLostError
from celery import Task
from celery.worker import request, state

log = logging.getLogger(__name__)

TRIES = 3
"""How often a message may kill its process before its job fails."""

GIVE_UP = "ticketing.give_up"
"""Name of the task that fails a job: (job id, why)."""

TOO_OFTEN = (
    f"It ended its worker's process {TRIES} times: a part of it takes too long, or more memory than"
    " there is; the workers' log says which."
)

TOO_LONG = (
    "It was ended after {:.3g} hours, the most that TICKETING_JOB_HOURS allows; set more and retry"
    " it, and it goes on where it stopped."
)


class CountedRequest(request.Request):
    """The state of a message's task in the worker's main process."""

    def on_failure(
        self, exc_info: Any, send_failed_event: bool = True, return_ok: bool = False
    ) -> Any:
        """Send the message again if its process is gone; otherwise do what Celery does."""
        error = exc_info.exception
        if isinstance(error, ExceptionWithTraceback):
            error = error.exc
        if isinstance(error, (TimeLimitExceeded, WorkerLostError)):
            return self._send_again(isinstance(error, TimeLimitExceeded))
        return super().on_failure(exc_info, send_failed_event, return_ok)

    def on_timeout(self, soft: bool, timeout: float) -> None:
        """Does nothing, since `on_failure` is also called."""

    def _send_again(self, too_long: bool) -> None:
        state.task_ready(self)
        if self.acknowledged:
            return
        task, context = self.task, self._context  # type: ignore[attr-defined]  # the stub lacks it
        why = ""
        most = task.app.conf.task_time_limit
        if too_long and task.time_limit == most:
            why = TOO_LONG.format(most / 3600)
        elif context.retries + 1 >= TRIES:
            why = TOO_OFTEN
        log.warning(
            "%s %s; %s",
            self.name,
            "took too long" if too_long else "lost its process",
            "its job fails" if why else "it is sent again",
        )
        try:
            if why:
                queue = self.delivery_info["routing_key"]
                task.app.send_task(GIVE_UP, (context.args[0], why), queue=queue)
            else:
                task.signature_from_request(context, retries=context.retries + 1).apply_async()
        except Exception as trouble:  # the broker is away: it delivers the message again later
            log.warning("%s could not be sent again (%s)", self.name, trouble)
            self.reject(requeue=True)
        else:
            self.acknowledge()


class CountedTask(Task[Any, Any]):
    """A task that counts in `request.retries` how many processes its message has killed.

    A task without its own `time_limit` that exceeds the general one is not tried again.
    """

    Request = "worker.tries:CountedRequest"
    abstract = True
