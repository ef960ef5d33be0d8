"""The encoded query: what stores, scan and explanation need of a query, computed once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
import numpy.typing as npt

LARGEST = (1 << 31) - 1
"""The largest weight as an integer. Sums over a row of codes then stay below 2 ** 53, so a float64
holds them exactly."""


def unit_of(weights: npt.NDArray[np.float32], lacked: npt.NDArray[np.floating]) -> float:
    """The value of one integer step of a query's weights (see EncodedQuery). `weights` are its
    weights, and `lacked` is what one missing unit of a component's terms adds."""
    most = max(float(weights.max(initial=0)), float(lacked.max(initial=0)))
    return most / LARGEST or 1.0


@dataclass(frozen=True, eq=False)
class EncodedQuery:
    """A query encoded with one bundle, with P query components, R ticket components and C channels.

    - `words`: its tokens. `project` computes its projection `vector`. A store that does not compare
      all tickets finds candidates by both.
    - `codes` uint8 [P, size]: the dense channels.
    - `terms` uint8 [P, BUCKETS]: the sparse channel's weights by bucket ([P, 0] without one).
    - `weights` float32 [2 ** R, P, R, C]: see CodeLayout.pattern_weights.
    - `coverage` float32 [P]: the weight of terms that a ticket lacks.
    - `unit`: the scan computes with weights as integer multiples of this. It stays the same when
      only some channels are used, so their parts stay comparable.
    - `shares` float32 [P]: the share with which each component counts, 0 if it is missing.
    - `known`: whether the vocabulary has any of its words, apart from masks and marks.
    - `time`: when it was asked; None if time does not count.
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
        """The projection, int8 [D]; D may be 0."""
        return self.project()

    @cached_property
    def buckets(self) -> npt.NDArray[np.int64]:
        """The buckets that any component has a term in, ascending: int64 [t]."""
        return np.flatnonzero(self.terms.any(0))
