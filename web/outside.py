"""State of external servers, asked in a way that a hanging server does not block threads."""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

REST_SECONDS = 5.0
"""Seconds without requests to a server that did not answer."""

Away = TypeVar("Away", bound=Exception)


class Trouble(Generic[Away]):
    """Why an external server does not answer, cached.

    Only one thread asks at a time. Other callers, and callers soon after a failure, get the last
    known state.
    """

    def __init__(self, ask: Callable[[], Away | None]):
        self._ask = ask
        self._asking = threading.Lock()
        self._last: Away | None = None
        self._rests_until = 0.0

    def now(self) -> Away | None:
        """The present trouble, or None if none is known."""
        if time.monotonic() < self._rests_until or not self._asking.acquire(blocking=False):
            return self._last
        try:
            self._last = self._ask()
            self._rests_until = time.monotonic() + REST_SECONDS if self._last else 0.0
            return self._last
        finally:
            self._asking.release()
