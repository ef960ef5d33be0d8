"""Loaded models by bundle. A new serving bundle is loaded in the background while the old one
answers."""

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
"""Seconds before loading a bundle is tried again after a failure."""

KEEP_UP_SECONDS = 1.0
"""Seconds between two updates of the answering bundle's codes while another bundle serves."""

CLOSE_SECONDS = 2.0
"""Seconds that a model being loaded may delay the end of the process."""


def settle() -> None:
    """Exclude all present objects from garbage collection, until this is called again. Loaded
    models stay in memory anyway, and scanning them would cost each answer a millisecond or more."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class Loaded(Generic[T]):
    """Models of bundles; each is loaded once, by whichever thread asks first.

    `load` makes a model from a bundle's id. Before a new bundle replaces the answering one,
    `prepare` is called with its id to do what a first query would wait for. Until then `keep_up` is
    called repeatedly with the id of the answering bundle.
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
        """Id of the bundle that answered last."""
        self.failure: Exception | None = None
        """The error if the serving bundle could not be loaded or prepared."""

    def named(self, bundle_id: str) -> T:
        """The model of a bundle; waits until it is loaded. Raises whatever `load` raises."""
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
        """The model of the serving bundle, or of the one that answered last while the serving one
        is being prepared. Only the very first caller waits."""
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
        """Stop preparing, and wait briefly for a running preparation to end."""
        self._closed.set()
        if changing := self._changing:
            changing.join(CLOSE_SECONDS)

    def _change(self) -> None:
        """Background thread: prepare the wanted bundle until it answers, and keep the codes of the
        other one up to date meanwhile."""
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
        """Drop the models loaded longest ago, except the answering one."""
        for bundle_id in list(self._models)[:-1]:
            if len(self._models) > MOST and bundle_id not in (self.answering, self._wanted):
                del self._models[bundle_id]
