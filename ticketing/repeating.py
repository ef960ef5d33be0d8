"""An action repeated in a background thread."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ticketing.errors import TicketingError

log = logging.getLogger(__name__)


@contextmanager
def repeating(do: Callable[[], object], seconds: float) -> Iterator[None]:
    """Context manager: call `do` every `seconds` in a thread, until the block ends.

    Errors do not reach the block, because a later call may succeed. Errors other than
    TicketingError are logged, once as long as they repeat.
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
