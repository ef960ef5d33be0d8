"""Servers of others that this one asks: one that hangs must not hold our threads."""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

REST_SECONDS = 5.0
"""How long a server that did not answer is left alone."""

Away = TypeVar("Away", bound=Exception)


class Trouble(Generic[Away]):
    """Why another server does not answer, if so.

    One thread at a time asks. Whoever comes meanwhile, or soon after it did not answer, is told
    what was known last.
    """

    def __init__(self, ask: Callable[[], Away | None]):
        self._ask = ask
        self._asking = threading.Lock()
        self._last: Away | None = None
        self._rests_until = 0.0

    def now(self) -> Away | None:
        """The trouble, None where there is none that is known."""
        if time.monotonic() < self._rests_until or not self._asking.acquire(blocking=False):
            return self._last
        try:
            self._last = self._ask()
            self._rests_until = time.monotonic() + REST_SECONDS if self._last else 0.0
            return self._last
        finally:
            self._asking.release()
