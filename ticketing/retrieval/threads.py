"""Threads that share the work of a query; compiled code releases the interpreter lock (GIL)."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Threads:
    """A pool of `count` threads, including the calling one, which starts at once: waking the others
    may take as long as the work itself."""

    def __init__(self, count: int = 1):
        self._others = count - 1
        self._pool = ThreadPoolExecutor(self._others) if self._others > 0 else None

    def share(self, work: Callable[[T], None], parts: Iterable[T]) -> None:
        """Call `work(part)` for each part, in whichever thread is free."""
        parts = [*parts]
        left = iter(parts)  # a list's iterator is thread-safe

        def take() -> None:
            for part in left:
                work(part)

        helpers = min(self._others, len(parts) - 1)
        helping = [self._pool.submit(take) for _ in range(helpers)] if self._pool else []
        try:
            take()
        finally:
            begun = [helper for helper in helping if not helper.cancel()]
            for helper in begun:
                helper.result()


ALONE = Threads()
