"""What a person sees while a command does something that counts nothing."""

from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from ticketing.repeating import repeating

TICK_SECONDS = 0.5


@contextmanager
def shown_waiting(doing: str) -> Iterator[None]:
    """Show on a terminal what is being done and since when, after half a second.

    Nothing is shown elsewhere, and nothing is left behind.
    """
    with tqdm(bar_format=f"{doing} {{elapsed}}", leave=False, disable=None) as bar:
        if bar.disable:
            yield
            return
        with repeating(bar.refresh, TICK_SECONDS):
            yield
