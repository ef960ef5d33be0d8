"""A query's words beside those of the tickets found for it: what both have, and what neither."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

OWN = 3
"""Documents that must have a word for it to be known without one of them: a vocabulary has no word
of a single document."""


@dataclass(frozen=True)
class Wording:
    """The distinct terms of a query, W of them: `counts` int64 [W], how many of the vocabulary's
    `documents` have each, and `held` bool [n, W], which of the tickets found have it, best first.
    """

    counts: npt.NDArray[np.int64]
    documents: int
    held: npt.NDArray[np.bool_]

    def of(self, chosen: npt.NDArray[np.bool_]) -> "Wording":
        """The wording beside some of the tickets: bool [n]."""
        return replace(self, held=self.held[chosen])

    def without_own(self) -> "Wording":
        """The wording of a query that is one of the documents, as though that were not there."""
        return replace(self, counts=np.where(self.counts >= OWN, self.counts - 1, 0))

    @property
    def unseen(self) -> float:
        """The share of the words, by idf, that neither the archive nor a ticket found has; 1 for
        none."""
        return _share(self._seen < 1, self._idf(self.counts), empty=1.0)

    @property
    def rarity(self) -> float:
        """The mean idf of the words beside that of one that no document has; 1 for none."""
        return float(self._idf_seen.mean() / self._idf(0)) if len(self.counts) else 1.0

    def shared(self, shown: int) -> float:
        """ln(1 + m): of the first tickets one has m words as rare as one that no document has, or
        more words that are less rare."""
        shares = self.held[:shown] @ self._idf_seen
        return float(np.log1p(shares.max(initial=0.0) / self._idf(0)))

    def covered(self, shown: int) -> float:
        """The share of the words, by idf, that the first tickets have in the mean."""
        return _share(self.held[:shown].mean(0), self._idf(self.counts), empty=0.0)

    @cached_property
    def _seen(self) -> npt.NDArray[np.int64]:
        """How many documents have each word, one at least where a ticket found has it."""
        return np.maximum(self.counts, self.held.any(0))

    @cached_property
    def _idf_seen(self) -> npt.NDArray[np.float64]:
        return self._idf(self._seen)

    def _idf(self, counts: npt.NDArray[np.int64] | int) -> npt.NDArray[np.float64]:
        """The idf of terms that so many documents have, as `encoders.terms` has it."""
        known = np.minimum(counts, self.documents)
        idf: npt.NDArray[np.float64] = np.log((self.documents + 1) / (known + 0.5))
        return idf


def _share(
    chosen: npt.NDArray[np.bool_ | np.float64], weights: npt.NDArray[np.float64], empty: float
) -> float:
    """How much of the weights is of those chosen, in whole or in part; `empty` where there are
    none."""
    total = weights.sum()
    return float((weights * chosen).sum() / total) if total > 0 else empty
