"""Work that threads share: compiled code and torch's products hold no interpreter lock.

Nothing depends on how many there are: what is added up is cut in the same way for any number.
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
"""Steps for which a thread is worth being woken."""

_others: ContextVar[tuple[int, ThreadPoolExecutor] | None] = ContextVar("_others", default=None)
"""How many threads there are beside this one, and what has them; None in each of those."""


@contextmanager
def shared_by(count: int) -> Iterator[None]:
    """Let work be shared by so many threads for a while, this one among them.

    Those of torch and BLAS are one meanwhile: they spin while they wait for each other, which
    takes the core that the others need.
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
    """Have several things done; side by side where there are threads."""
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
    """Have `work(first, last)` done on all texts, in about equal parts by as many threads as there
    are: `bounds` [n + 1] say where texts begin. The result for one text must not depend on the
    others."""
    others = _others.get()
    steps, texts = int(bounds[-1]), len(bounds) - 1
    parts = min(others[0] + 1 if others else 1, max(steps // FEWEST_STEPS, 1))
    ends = np.searchsorted(bounds, np.arange(1, parts) * (steps / parts)).tolist()
    together(*(_part(work, *cut) for cut in zip([0, *ends], [*ends, texts], strict=True)))


def halves(work: Callable[[int, int], None], count: int) -> None:
    """Have `work(first, last)` done on so many things, in two parts; see `shared_out`."""
    together(_part(work, 0, count // 2), _part(work, count // 2, count))


def _part(work: Callable[[int, int], None], first: int, last: int) -> Callable[[], None]:
    return lambda: work(first, last)
