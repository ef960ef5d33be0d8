"""Loaded models by bundle; the next one that serves is loaded beside the one that answers."""

import gc
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

from ticketing.errors import TicketingError
from ticketing.repeating import repeating

log = logging.getLogger(__name__)

T = TypeVar("T")

MOST = 3
"""Models kept in memory: the one that answers, the one before or after it, and one more."""

RETRY_SECONDS = 5.0
"""How long a bundle that could not be loaded is left alone."""

KEEP_UP_SECONDS = 1.0
"""How often the bundle that answers is kept up with what came, while another one serves."""

CLOSE_SECONDS = 2.0
"""How long what is being loaded may delay the end of a process."""


def settle() -> None:
    """Let the collector of garbage pass over all that is there until this is called again: what a
    model is made of stays, and looking through it costs every answer a millisecond and more."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class Loaded(Generic[T]):
    """Models of bundles, each loaded once, whoever asks.

    `load` makes one of a bundle's id. Before a bundle answers in the place of another one,
    `prepare` does with its id all that a first query would wait for; until then `keep_up` is called
    with the id of the one that still answers.
    """

    def __init__(
        self,
        load: Callable[[str], T],
        prepare: Callable[[str], object],
        keep_up: Callable[[str], object],
    ):
        self._load, self._prepare, self._keep_up = load, prepare, keep_up
        self._models: dict[str, T] = {}
        self._loads: dict[str, Future[T]] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._wanted = self._preparing = ""
        self._changing: threading.Thread | None = None
        self.answering = ""
        """The bundle that answered last."""
        self.failure: Exception | None = None
        """Why the serving bundle cannot answer yet, where trying it failed."""

    def named(self, bundle_id: str) -> T:
        """The model of a bundle; whoever asks waits for it. Raises what loading it raises."""
        with self._lock:
            if bundle_id in self._models:
                return self._models[bundle_id]
            ours = bundle_id not in self._loads
            loading = self._loads.setdefault(bundle_id, Future())
        if not ours:
            return loading.result()
        try:
            model = self._load(bundle_id)
        except BaseException as error:
            with self._lock:
                del self._loads[bundle_id]
            loading.set_exception(error)
            raise
        with self._lock:
            self._models[bundle_id] = model
            del self._loads[bundle_id]
            self._forget_old()
        loading.set_result(model)
        settle()
        return model

    def serving(self, bundle_id: str) -> T:
        """The model of the bundle that serves or, until it is prepared, of the one that answered
        last, so that nobody waits but the first who asks."""
        with self._lock:
            self._wanted = bundle_id
            if bundle_id in self._models and bundle_id != self._preparing:
                self.answering, self.failure = bundle_id, None
                return self._models[bundle_id]
            if last := self._models.get(self.answering):
                if self._changing is None and not self._closed.is_set():
                    self._preparing = bundle_id
                    self._changing = threading.Thread(target=self._change, daemon=True)
                    self._changing.start()
                return last
        model = self.named(bundle_id)
        self.answering = bundle_id
        return model

    def close(self) -> None:
        """Begin nothing more, and give what was begun a moment to end."""
        self._closed.set()
        if changing := self._changing:
            changing.join(CLOSE_SECONDS)

    def _change(self) -> None:
        """Prepare what is wanted until it answers, and keep the other one up meanwhile."""
        try:
            with repeating(self._keep, KEEP_UP_SECONDS):
                while not self._closed.is_set() and self._wanted != self.answering:
                    self._try(self._wanted)
        finally:
            self._changing = None

    def _try(self, bundle_id: str) -> None:
        self._preparing = bundle_id
        try:
            self.named(bundle_id)
            self._prepare(bundle_id)
        except Exception as error:
            for_people, self.failure = isinstance(error, TicketingError), error
            log.warning("%s answers still: %s", self.answering, error, exc_info=not for_people)
            self._closed.wait(RETRY_SECONDS)
            return
        with self._lock:
            self._preparing, self.failure = "", None
            if self._wanted == bundle_id:
                self.answering = bundle_id

    def _keep(self) -> None:
        if self._closed.is_set():
            return
        try:
            self._keep_up(self.answering)
        except TicketingError as error:
            log.warning("%s is not kept up: %s", self.answering, error)

    def _forget_old(self) -> None:
        """Let go of the models that were loaded longest ago, but not of one that answers."""
        for bundle_id in list(self._models)[:-1]:
            if len(self._models) > MOST and bundle_id not in (self.answering, self._wanted):
                del self._models[bundle_id]
