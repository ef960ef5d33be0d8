"""What moves a ticket among the nearest, beyond its distance.

The distance compares components pair by pair, and knows nothing of the other tickets found. A few
numbers more say what that misses, each as a standard score over the hundred nearest: they change
the order of these by little. What they are worth is much the same at every desk, and the few judged
queries of one do not tell it better (`docs/results/reading.md`).
"""

from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ticketing.files import Json


@dataclass(frozen=True)
class Rescoring:
    """By how much a standard deviation of each number brings a ticket nearer, beside its distance.

    `shared`: the query's words, by idf, that the ticket's problem has, for its length. `subject`:
    how much of the ticket's subject the query says. `crowd`: how far a ticket is from those found
    that are nearest to it; what is like many others tells less.
    """

    shared: float = 0.0
    subject: float = 0.0
    crowd: float = 0.0

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """All three, in the order above: [F]."""
        return np.array(astuple(self))

    def to_json(self) -> Json:
        """What the manifest keeps."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Rescoring":
        """The rescoring that `to_json` described; `GENERAL` where it weighs other numbers, as that
        of a bundle of format 14 or earlier does."""
        return cls(**data) if set(data) == set(asdict(GENERAL)) else GENERAL


GENERAL = Rescoring(shared=0.2, subject=0.2, crowd=0.2)
"""What suits the sources of `python -m tests.benchmarks.rescoring`."""
