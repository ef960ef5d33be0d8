"""Something that is done again and again beside other work."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ticketing.errors import TicketingError

log = logging.getLogger(__name__)


@contextmanager
def repeating(do: Callable[[], object], seconds: float) -> Iterator[None]:
    """Do it every so many seconds during the block, in a thread that has ended after it.

    An error is none of the block's: the next time may be a better one. The log tells one that is
    no TicketingError, once as long as it stays the same.
    """
    ended = threading.Event()

    def repeat() -> None:
        told = ""
        while not ended.wait(seconds):
            try:
                do()
            except TicketingError:
                continue
            except Exception as error:
                if repr(error) != told:
                    told = repr(error)
                    log.exception("what is done every %g seconds failed; it goes on", seconds)

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
