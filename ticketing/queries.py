"""A query ready for the scan: made once, and all that stores, scan and explanation ask of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class EncodedQuery:
    """A query under one bundle, with P query, R ticket components and C channels.

    `words` are its tokens and `vector` its projection, which `project` makes: a store that does not
    compare all tickets finds candidates by both. The scan compares `codes` uint8 [P, size],
    the dense channels, and `terms` uint8 [P, BUCKETS], weights by bucket of the sparse one ([P, 0]
    without one), by `weights` float32 [2 ** R, P, R, C] (see CodeLayout.pattern_weights), and lets
    what a ticket lacks of the terms count by `coverage` float32 [P].
    `present` bool [P] says which components it has, `known` whether the vocabulary has any of its
    words, and `time` when it was asked, None where time does not count.
    """

    words: Sequence[str]
    project: Callable[[], npt.NDArray[np.int8]]
    codes: npt.NDArray[np.uint8]
    terms: npt.NDArray[np.uint8]
    weights: npt.NDArray[np.float32]
    coverage: npt.NDArray[np.float32]
    present: npt.NDArray[np.bool_]
    known: bool
    time: datetime | None = None

    @cached_property
    def vector(self) -> npt.NDArray[np.int8]:
        """int8 [D]; D may be 0."""
        return self.project()

    @cached_property
    def buckets(self) -> npt.NDArray[np.int64]:
        """Those of the terms that any component has, ascending: int64 [t]."""
        return np.flatnonzero(self.terms.any(0))
