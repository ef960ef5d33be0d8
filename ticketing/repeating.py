"""Something that is done again and again beside other work."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ticketing.errors import TicketingError


@contextmanager
def repeating(do: Callable[[], object], seconds: float) -> Iterator[None]:
    """Do it every so many seconds during the block, in a thread that has ended after it.

    A TicketingError is none of the block's: the next time may be a better one.
    """
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(seconds):
            with suppress(TicketingError):
                do()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
