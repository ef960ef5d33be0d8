"""Logs an outage of a server (away or full) once a minute, and once when it is over."""

import logging
import math
import time
from multiprocessing.sharedctypes import RawValue

log = logging.getLogger(__name__)

AGAIN_SECONDS = 60.0
"""Seconds between log lines while an outage lasts."""


class Outage:
    """Whether a server is away, or fails to do what it usually `does`; shared by all processes of a
    worker that are forked afterwards.

    The first process that notices logs it, and the others stay silent for a minute.
    """

    def __init__(self, what: str, does: str = "answers"):
        self.what = what
        self.does = does
        self._said = RawValue("d", -math.inf)  # monotonic time of the last line
        self._awaited = RawValue("b", 0)  # 1 from "away" to "back"

    def away(self, error: object) -> None:
        """The server could not be reached; `error` is a sentence."""
        now = time.monotonic()
        if now - self._said.value >= AGAIN_SECONDS:
            self._said.value, self._awaited.value = now, 1
            log.warning("%s Workers wait and go on by themselves.", error)

    def over(self) -> None:
        """The server works again."""
        if self._awaited.value:
            self._awaited.value = 0
            log.warning("The %s %s again; workers go on.", self.what, self.does)
