"""Ragged arrays: texts of different lengths, concatenated, with bounds that give the start of
each."""

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def pieces(starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """Indices of the words of n pieces, concatenated, and the pieces' own bounds [n + 1]."""
    bounds = np.concatenate([[0], lengths.cumsum()])
    return np.arange(bounds[-1]) + np.repeat(starts - bounds[:-1], lengths), bounds
