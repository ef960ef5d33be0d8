"""Wrong passwords slow down whoever types them, and nobody else.

Attempts are counted by address and name, so that nobody can lock somebody else out from another
machine; after a minute there are new ones.
"""

import math
import time

from flask import current_app
from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from werkzeug.exceptions import TooManyRequests

ATTEMPTS = parse("5/minute")


class Throttle:
    """Attempts at a password."""

    def __init__(self) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def attempt(self, address: str, name: str) -> None:
        """Count one. Raises TooManyRequests (429) when there were too many lately."""
        if not self._limiter.hit(ATTEMPTS, address, name):
            reset = self._limiter.get_window_stats(ATTEMPTS, address, name).reset_time
            seconds = max(1, math.ceil(reset - time.time()))
            raise TooManyRequests(
                f"Too many passwords were tried; wait {seconds} seconds, then try again.",
                retry_after=seconds,
            )

    def succeeded(self, address: str, name: str) -> None:
        """Forget the attempts: the password was right."""
        self._limiter.clear(ATTEMPTS, address, name)


def current_throttle() -> Throttle:
    """The one of this application."""
    throttle: Throttle = current_app.extensions["throttle"]
    return throttle
