"""Terms by meaning: how much of a query tickets say in other words, read from their codes."""

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled
from ticketing.encoders.terms import BUCKETS, TermEncoder
from ticketing.model.inference import Model

CLOSE = 0.4
"""Least cosine of two terms that say alike."""

MOST = 32
"""Terms of a query that are looked at, the most telling of those that the model knows."""


class AlikeTerms:
    """The terms of one model, by bucket; each means what that of its words does which most tickets
    have."""

    def __init__(self, model: Model, terms: TermEncoder):
        words = model.words.table
        rarest_first = np.argsort([0, *model.vocabulary.document_counts], kind="stable")
        self._word = np.zeros(BUCKETS, np.int32)
        self._word[terms.buckets[rarest_first]] = rarest_first
        self._word[0] = 0  # is none
        self._table, self._mean = words, words[1:].sum(0) / max(len(words) - 1, 1)
        squares = np.einsum("wd,wd->w", words, words) - words @ (2 * self._mean)
        self._lengths = np.sqrt(np.maximum(squares + self._mean @ self._mean, 1e-12))  # [V]

    def said(
        self,
        asked: npt.NDArray[np.int64],
        idf: npt.NDArray[np.float32],
        told: npt.NDArray[np.uint16],
    ) -> npt.NDArray[np.float64]:
        """How much of a query tickets say in other words alone: its terms that a ticket lacks, each
        times the cosine of the nearest that it has, where that is CLOSE. The query has the terms
        `asked` [q], each once, of that `idf` [q]; the tickets have `told` [n, k], 0 for none.
        Returns float64 [n]."""
        known = np.flatnonzero(self._word[asked])
        most = known[np.argsort(-idf[known], kind="stable")[:MOST]]
        asked, idf = asked[most], idf[most]
        place = np.full(BUCKETS, -1, np.int32)
        place[told] = 0
        found = np.flatnonzero(place == 0)  # [u]
        place[found] = np.arange(len(found), dtype=np.int32)
        cosines = self._cosines(found, asked)
        cosines[found[:, None] == asked] = np.inf
        return _said(cosines, place[told], idf)

    def _cosines(
        self, found: npt.NDArray[np.int64], asked: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float32]:
        """Of each of u terms with each of q known ones, [u, q]; 0 of a term that is not known."""
        ids, asking = self._word[found], self._word[asked]
        unit = (self._table[asking] - self._mean) / self._lengths[asking, None]
        products = np.take(self._table, ids, axis=0) @ unit.T - self._mean @ unit.T
        lengths = np.where(ids > 0, self._lengths[ids], np.inf)
        cosines: npt.NDArray[np.float32] = products / lengths[:, None]
        return cosines


@compiled(exact=True)
def _said(
    cosines: npt.NDArray[np.float32],
    places: npt.NDArray[np.int32],
    idf: npt.NDArray[np.float32],
) -> npt.NDArray[np.float64]:
    """See `AlikeTerms.said`: cosines [u, q], infinite of a term with itself, and the first axis'
    places of what each ticket has [n, k]."""
    said, nearest = np.zeros(len(places)), np.empty(len(idf), np.float32)
    for n in range(len(places)):
        nearest[:] = 0
        for place in places[n]:
            for q in range(len(idf)):
                nearest[q] = max(nearest[q], cosines[place, q])
        for q in range(len(idf)):
            if CLOSE <= nearest[q] < np.inf:
                said[n] += nearest[q] * idf[q]
    return said
