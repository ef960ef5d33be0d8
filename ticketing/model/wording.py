"""Compares the query's words with those of the tickets found: words that they share, and words that
no ticket has."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

OWN = 3
"""Minimum number of documents with a word for the word to stay known when one of them is left out,
since a vocabulary has no word of a single document."""


@dataclass(frozen=True)
class Wording:
    """The W distinct terms of a query. `counts` int64 [W] is how many of the vocabulary's
    `documents` have each, and `held` bool [n, W] which of the tickets found (best first) have
    it."""

    counts: npt.NDArray[np.int64]
    documents: int
    held: npt.NDArray[np.bool_]

    def of(self, chosen: npt.NDArray[np.bool_]) -> "Wording":
        """The same for some of the tickets: bool [n]."""
        return replace(self, held=self.held[chosen])

    def without_own(self) -> "Wording":
        """The wording of a query that is one of the documents, as if that document did not
        exist."""
        return replace(self, counts=np.where(self.counts >= OWN, self.counts - 1, 0))

    @property
    def unseen(self) -> float:
        """The idf-weighted share of the words that neither the archive nor a ticket found has; 1 if
        there are no words."""
        return _share(self._seen < 1, self._idf(self.counts), empty=1.0)

    @property
    def rarity(self) -> float:
        """The mean idf of the words, relative to that of a word that no document has; 1 if there
        are no words."""
        return float(self._idf_seen.mean() / self._idf(0)) if len(self.counts) else 1.0

    def shared(self, shown: int) -> float:
        """ln(1 + m), where m is the largest sum of idf of the words that one of the first tickets
        has, in units of the idf of a word that no document has."""
        shares = self.held[:shown] @ self._idf_seen
        return float(np.log1p(shares.max(initial=0.0) / self._idf(0)))

    def covered(self, shown: int) -> float:
        """The idf-weighted share of the words that the first tickets have, on average."""
        return _share(self.held[:shown].mean(0), self._idf(self.counts), empty=0.0)

    @cached_property
    def _seen(self) -> npt.NDArray[np.int64]:
        """How many documents have each word, at least one if a ticket found has it."""
        return np.maximum(self.counts, self.held.any(0))

    @cached_property
    def _idf_seen(self) -> npt.NDArray[np.float64]:
        return self._idf(self._seen)

    def _idf(self, counts: npt.NDArray[np.int64] | int) -> npt.NDArray[np.float64]:
        """The idf of terms with these document frequencies, as in `encoders.terms`."""
        known = np.minimum(counts, self.documents)
        idf: npt.NDArray[np.float64] = np.log((self.documents + 1) / (known + 0.5))
        return idf


def _share(
    chosen: npt.NDArray[np.bool_ | np.float64], weights: npt.NDArray[np.float64], empty: float
) -> float:
    """The share of the weights that belongs to the chosen words, wholly or partly; `empty` if there
    are none."""
    total = weights.sum()
    return float((weights * chosen).sum() / total) if total > 0 else empty
