"""What moves a ticket among the nearest, beyond its distance.

The distance compares components pair by pair, and knows nothing of the other tickets found. A few
numbers more say what that misses, each as a standard score over the hundred nearest: they change
the order of these by little, and what they are worth carries from desk to desk.
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
    how much of the ticket's subject the query says. `pairs`: how near they are by channel E, pair
    by pair, and `whole` the same of the problems as wholes. `crowd`: how near a ticket is to those
    found that are nearest to it; what is like many others tells less.
    """

    shared: float = 0.0
    subject: float = 0.0
    pairs: float = 0.0
    whole: float = 0.0
    crowd: float = 0.0

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """All five, in the order above: [F]."""
        return np.array(astuple(self))

    def to_json(self) -> Json:
        """What the manifest keeps."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Rescoring":
        """The rescoring that `to_json` described."""
        return cls(**data)


GENERAL = Rescoring(shared=0.15, subject=0.28, pairs=-0.15, whole=0.03, crowd=0.01)
"""Where few queries are judged: what `python -m tests.benchmarks.rescoring` learns from the sources
in `docs/results/reading.md`."""
