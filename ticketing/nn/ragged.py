"""Texts of any length that lie end to end in one array, with bounds that say where each begins."""

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def pieces(starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """Where the words of n pieces stand, end to end, and the pieces' own bounds [n + 1]."""
    bounds = np.concatenate([[0], lengths.cumsum()])
    return np.arange(bounds[-1]) + np.repeat(starts - bounds[:-1], lengths), bounds
