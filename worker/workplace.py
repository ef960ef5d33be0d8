"""The place of tasks: a desk that is opened when first needed; tasks wait for a store that is
away."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from typing import Any, get_type_hints

from celery import Celery, Task
from celery.exceptions import Reject
from pydantic import TypeAdapter, ValidationError

from ticketing.desk import Desk
from ticketing.errors import BrokerAway, BundleAway, StoreAway, StoreFull, TicketingError
from worker.discarding import discarded
from worker.ending import Ending
from worker.handing_back import hand_back
from worker.outage import Outage
from worker.tries import CountedTask

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""Seconds between two attempts of a task to reach its store."""

HOLD_SECONDS = 60.0
"""How long a task holds its message while the store is away, before it goes back to the broker."""


@dataclass
class Workplace:
    """Data shared by the processes of a worker, created before they are forked.

    Each process opens its own desk, since connections and numba's threads do not survive a fork.
    """

    open_desk: Callable[[], Desk]
    ending: Ending = field(default_factory=Ending)
    store: Outage = field(default_factory=lambda: Outage("store"))
    room: Outage = field(default_factory=lambda: Outage("store", "takes writes"))
    broker: Outage = field(default_factory=lambda: Outage("broker"))

    @cached_property
    def desk(self) -> Desk:
        """The desk of this process. Its bundles are put into the store for all machines. Raises
        StoreAway."""
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)  # batches are small: more workers use more cores
        desk = self.open_desk()
        desk.models.share_all()
        return desk

    @contextmanager
    def tolerating(self, what: str) -> Iterator[None]:
        """Context manager: log in one line why the block failed at something that is tried again
        later, such as looking for jobs. A block that succeeds proves that the store answers."""
        try:
            yield
            self.store.over()
        except BrokerAway as error:
            self.broker.away(error)
        except StoreAway as error:
            self.store.away(error)
        except StoreFull as error:
            self.room.away(error)
        except TicketingError as error:
            log.warning("cannot %s: %s", what, error)
        except Exception:
            log.exception("cannot %s", what)

    def add_task(
        self, app: Celery, name: str, do: Callable[..., None], seconds: int | None
    ) -> None:
        """Register `do(desk, app, job id, ...)` with the app's worker for messages of this name.

        A message whose arguments do not fit `do` is discarded. A process that works on a message
        longer than `seconds`, or than a job may take, is killed. Long work that can hand itself
        back also takes an `ending`; a worker that is to end does not start it.
        """
        arguments = _arguments(do)
        shared = {"ending": self.ending} if "ending" in signature(do).parameters else {}

        options: dict[str, Any] = {"time_limit": seconds}

        @app.task(name=name, base=CountedTask, bind=True, typing=False, shared=False, **options)
        def task(self_: Task[Any, Any], *given: Any, **named: Any) -> None:
            try:
                fitting = arguments.validate_python((*given, *named.values()), strict=True)
            except ValidationError as error:
                discarded(name, error)
                return
            if shared and self.ending.asked:
                raise Reject("the worker ends", requeue=True)
            worker = self_.request.hostname or ""

            def here() -> None:
                try:
                    do(self.desk, app, *fitting, **shared)
                except BundleAway as error:
                    hand_back(self.desk, app, fitting[0], worker, error)

            self._patiently(here)

    def _patiently(self, do: Callable[[], None]) -> None:
        """Call `do`, repeatedly while the store is away or takes no writes. Raises Reject to do it
        later."""
        until = time.monotonic() + HOLD_SECONDS
        while True:
            try:
                do()
            except (StoreAway, StoreFull) as error:
                outage = self.store if isinstance(error, StoreAway) else self.room
                outage.away(error)
                if self.ending.asked or time.monotonic() > until:
                    raise Reject(str(error), requeue=True) from None
                time.sleep(LOOK_SECONDS)
            else:
                self.store.over()
                self.room.over()
                return


def _arguments(do: Callable[..., None]) -> TypeAdapter[tuple[Any, ...]]:
    """The type of a message's arguments: the parameters of `do` after desk and app, without
    `ending`."""
    kinds = get_type_hints(do)
    _, _, *names = signature(do).parameters
    shape: Any = tuple[tuple(kinds[name] for name in names if name != "ending")]  # type: ignore[misc]
    return TypeAdapter(shape)
