"""Threads that share a query's work: compiled code holds no interpreter lock."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Threads:
    """So many threads, the one that has work done among them: it begins while others wake, which
    takes as long as some work does."""

    def __init__(self, count: int = 1):
        self._others = count - 1
        self._pool = ThreadPoolExecutor(self._others) if self._others > 0 else None

    def share(self, work: Callable[[T], None], parts: Iterable[T]) -> None:
        """Have `work(part)` done on each part, by whichever thread is free."""
        parts = [*parts]
        left = iter(parts)  # a list's: threads may take from it at once

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
