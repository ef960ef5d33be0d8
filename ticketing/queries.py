"""A query ready for the scan: made once, and all that stores, scan and explanation ask of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
import numpy.typing as npt

LARGEST = (1 << 31) - 1
"""Units of the largest weight: sums over a row of codes stay below 2 ** 53, which a float64 holds
without loss."""


def unit_of(weights: npt.NDArray[np.float32], lacked: npt.NDArray[np.floating]) -> float:
    """What the whole numbers are worth by which a query weighs, see EncodedQuery: of its weights
    and of what it adds to lack one unit of a component's terms."""
    most = max(float(weights.max(initial=0)), float(lacked.max(initial=0)))
    return most / LARGEST or 1.0


@dataclass(frozen=True, eq=False)
class EncodedQuery:
    """A query under one bundle, with P query, R ticket components and C channels.

    `words` are its tokens and `vector` its projection, which `project` makes: a store that does not
    compare all tickets finds candidates by both. The scan compares `codes` uint8 [P, size],
    the dense channels, and `terms` uint8 [P, BUCKETS], weights by bucket of the sparse one ([P, 0]
    without one), by `weights` float32 [2 ** R, P, R, C] (see CodeLayout.pattern_weights), and lets
    what a ticket lacks of the terms count by `coverage` float32 [P]. It counts in whole numbers of
    a `unit`, so that some channels alone weigh what they weigh beside the others.
    `shares` float32 [P] say in which part its components count, 0 where missing, `known` whether
    the vocabulary has any of its words but masks and marks, and `time` when it was asked, None
    where time does not count.
    """

    words: Sequence[str]
    project: Callable[[], npt.NDArray[np.int8]]
    codes: npt.NDArray[np.uint8]
    terms: npt.NDArray[np.uint8]
    weights: npt.NDArray[np.float32]
    coverage: npt.NDArray[np.float32]
    unit: float
    shares: npt.NDArray[np.float32]
    known: bool
    time: datetime | None = None

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Which components the query has: bool [P]."""
        return self.shares > 0

    @cached_property
    def vector(self) -> npt.NDArray[np.int8]:
        """int8 [D]; D may be 0."""
        return self.project()

    @cached_property
    def buckets(self) -> npt.NDArray[np.int64]:
        """Those of the terms that any component has, ascending: int64 [t]."""
        return np.flatnonzero(self.terms.any(0))
