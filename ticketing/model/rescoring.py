"""Weights of the rescoring, which reorders the nearest tickets by features beside their distance.

The distance compares components pair by pair and ignores the other tickets found. Some features add
what it misses, each as a standard score over the hundred nearest; they change the order only a
little. Their best weights are much the same at every desk, and the few judged queries of one desk
do not determine them better (`docs/results/reading.md`).
"""

from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ticketing.files import Json


@dataclass(frozen=True)
class Rescoring:
    """By how much one standard deviation of each feature reduces a ticket's distance.

    `shared`: idf-weighted words of the query in the ticket's problem, relative to its length.
    `subject`: how much of the ticket's subject the query contains. `crowd`: how far a ticket is
    from its nearest neighbours among those found; a ticket that is like many others is less
    specific.
    """

    shared: float = 0.0
    subject: float = 0.0
    crowd: float = 0.0

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """All three weights, in the order above: [F]."""
        return np.array(astuple(self))

    def to_json(self) -> Json:
        """For the manifest."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Rescoring":
        """Read what `to_json` wrote; `GENERAL` if it has other features, as in bundles up to format
        14."""
        return cls(**data) if set(data) == set(asdict(GENERAL)) else GENERAL


GENERAL = Rescoring(shared=0.2, subject=0.2, crowd=0.2)
"""Weights that suit the sources of `python -m tests.benchmarks.rescoring`."""
