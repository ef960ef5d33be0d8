"""Messages whose work ended its process, or took too long: sent again, or their jobs given up."""

import logging
from typing import Any

from billiard.einfo import ExceptionWithTraceback  # type: ignore[attr-defined]  # no stub
from billiard.exceptions import TimeLimitExceeded, WorkerLostError
from celery import Task
from celery.worker import request, state

log = logging.getLogger(__name__)

TRIES = 3
"""How often a message may end the process that works on it before its job fails."""

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
    """What the worker's main process knows of a message that its pool works on."""

    def on_failure(
        self, exc_info: Any, send_failed_event: bool = True, return_ok: bool = False
    ) -> Any:
        """Send the message again where its process is gone; anything else is Celery's."""
        error = exc_info.exception
        if isinstance(error, ExceptionWithTraceback):
            error = error.exc
        if isinstance(error, (TimeLimitExceeded, WorkerLostError)):
            return self._send_again(isinstance(error, TimeLimitExceeded))
        return super().on_failure(exc_info, send_failed_event, return_ok)

    def on_timeout(self, soft: bool, timeout: float) -> None:
        """`on_failure` has been told of it."""

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
        except Exception as trouble:  # the broker is away: it hands the message out again later
            log.warning("%s could not be sent again (%s)", self.name, trouble)
            self.reject(requeue=True)
        else:
            self.acknowledge()


class CountedTask(Task[Any, Any]):
    """A task whose message counts in `request.retries` how many processes it has ended.

    One that has no `time_limit` of its own, and is ended by the general one, is not tried again.
    """

    Request = "worker.tries:CountedRequest"
    abstract = True
