"""Work divided among threads; compiled code and torch's matrix products release the interpreter
lock (GIL).

Results do not depend on the number of threads, since sums are always split in the same way.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
import numpy.typing as npt
import torch
from threadpoolctl import threadpool_limits

FEWEST_STEPS = 2000
"""Minimum number of steps for which waking a thread is worthwhile."""

_others: ContextVar[tuple[int, ThreadPoolExecutor] | None] = ContextVar("_others", default=None)
"""The number of other threads and their pool; None inside these threads."""


@contextmanager
def shared_by(count: int) -> Iterator[None]:
    """Context manager: divide work among `count` threads, including this one.

    torch and BLAS use one thread meanwhile: their threads spin while they wait and would take CPU
    time from the others.
    """
    before = torch.get_num_threads()
    with threadpool_limits(1), ThreadPoolExecutor(count) as pool:
        torch.set_num_threads(1)  # in every thread
        token = _others.set((count - 1, pool) if count > 1 else None)
        try:
            yield
        finally:
            _others.reset(token)
            torch.set_num_threads(before)


def together(*work: Callable[[], None]) -> None:
    """Run several functions, in parallel if there are threads."""
    others = _others.get()
    if others is None:
        for do in work:
            do()
        return
    later = [others[1].submit(do) for do in work[1:]]
    work[0]()
    for one in later:
        one.result()


def shared_out(work: Callable[[int, int], None], bounds: npt.NDArray[np.int64]) -> None:
    """Call `work(first, last)` for all texts, divided into about equal parts among the threads.
    `bounds` [n + 1] are the starts of the texts. The result for one text must not depend on
    others."""
    others = _others.get()
    steps, texts = int(bounds[-1]), len(bounds) - 1
    parts = min(others[0] + 1 if others else 1, max(steps // FEWEST_STEPS, 1))
    ends = np.searchsorted(bounds, np.arange(1, parts) * (steps / parts)).tolist()
    together(*(_part(work, *cut) for cut in zip([0, *ends], [*ends, texts], strict=True)))


def halves(work: Callable[[int, int], None], count: int) -> None:
    """Call `work(first, last)` for `count` items in two halves; see `shared_out`."""
    together(_part(work, 0, count // 2), _part(work, count // 2, count))


def _part(work: Callable[[int, int], None], first: int, last: int) -> Callable[[], None]:
    return lambda: work(first, last)
