"""A server that is away, or full, is one line a minute, and one more when it is back."""

import logging
import math
import time
from multiprocessing.sharedctypes import RawValue

log = logging.getLogger(__name__)

AGAIN_SECONDS = 60.0
"""How often an outage is said while it lasts."""


class Outage:
    """Whether a server is away, or does not what it `does` else, as all processes of a worker know
    that were forked afterwards.

    Whichever meets it says it, and the others keep quiet for a minute.
    """

    def __init__(self, what: str, does: str = "answers"):
        self.what = what
        self.does = does
        self._said = RawValue("d", -math.inf)  # when, of the machine's monotonic clock
        self._awaited = RawValue("b", 0)  # said to be away, and not yet to be back

    def away(self, error: object) -> None:
        """The server was asked in vain; `error` is a sentence."""
        now = time.monotonic()
        if now - self._said.value >= AGAIN_SECONDS:
            self._said.value, self._awaited.value = now, 1
            log.warning("%s Workers wait and go on by themselves.", error)

    def over(self) -> None:
        """The server does what it did not."""
        if self._awaited.value:
            self._awaited.value = 0
            log.warning("The %s %s again; workers go on.", self.what, self.does)
