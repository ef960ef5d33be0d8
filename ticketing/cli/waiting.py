"""What a terminal shows during work without countable progress."""

from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from ticketing.repeating import repeating

TICK_SECONDS = 0.5


@contextmanager
def shown_waiting(doing: str) -> Iterator[None]:
    """Context manager: show on a terminal what is being done and for how long, after half a second.

    Shows nothing elsewhere, and leaves nothing behind.
    """
    with tqdm(bar_format=f"{doing} {{elapsed}}", leave=False, disable=None) as bar:
        if bar.disable:
            yield
            return
        with repeating(bar.refresh, TICK_SECONDS):
            yield
