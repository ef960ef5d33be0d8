"""Texts that several threads work on, each on its own; compiled code holds no lock."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import torch

FEWEST_STEPS = 2000
"""Steps for which a thread is worth its start."""


def shared_out(work: Callable[[int, int], None], bounds: npt.NDArray[np.int64]) -> None:
    """Have `work(first, last)` done on all texts, in about equal parts by as many threads as torch
    has: `bounds` [n + 1] say where texts begin. What a text comes to must hang on it alone."""
    steps, texts = int(bounds[-1]), len(bounds) - 1
    parts = min(torch.get_num_threads(), max(steps // FEWEST_STEPS, 1))
    if parts == 1:
        work(0, texts)
        return
    ends = np.searchsorted(bounds, np.arange(1, parts) * (steps / parts)).tolist()
    cuts = [0, *ends, texts]
    with ThreadPoolExecutor(parts) as pool:
        list(pool.map(work, cuts[:-1], cuts[1:]))
