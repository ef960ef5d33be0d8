"""BM25 in memory, as a baseline."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array

K1, B = 1.2, 0.75
"""Parameters as in SQLite and Elasticsearch."""


def lucene_idf(texts: int, having: int) -> float:
    """Inverse document frequency as in Lucene, never below 0: `having` of `texts` texts contain the
    word."""
    return math.log(1 + (texts - having + 0.5) / (having + 0.5))


def sqlite_idf(texts: int, having: int) -> float:
    """Inverse document frequency as in SQLite: nearly 0 for a word in half of the texts or more."""
    idf = math.log((texts - having + 0.5) / (having + 0.5))
    return idf if idf > 0 else 1e-6


class BM25:
    """Scores tokenised texts against tokenised queries."""

    def __init__(
        self,
        texts: Iterable[Sequence[str]],
        idf: Callable[[int, int], float] = lucene_idf,
    ):
        self._terms: defaultdict[str, int] = defaultdict()
        self._terms.default_factory = self._terms.__len__
        words = [np.fromiter(map(self._terms.__getitem__, text), np.int64) for text in texts]
        self._terms.default_factory = None  # from now on only lookups
        lengths = np.array([len(text) for text in words], np.int64)
        self.size = len(words), len(self._terms)
        counts = csr_array(
            (
                np.ones(lengths.sum()),
                np.concatenate([np.empty(0, np.int64), *words]),
                np.cumsum([0, *lengths]),
            ),
            self.size,
        )
        counts.sum_duplicates()
        self._known = csc_array(counts)  # [texts, terms]
        self.having = np.diff(self._known.indptr)
        """Number of texts with each term: int [terms]."""
        worth = [idf(len(words), having) for having in self.having.tolist()]
        times, of = self._known.data, self._known.indices
        usual = lengths.mean() if lengths.any() else 1.0
        length = K1 * (1 - B + B * lengths / usual)
        self._known.data = np.repeat(worth, self.having) * times / (times + length[of])

    def terms(self, words: Iterable[str], most: int | None = None) -> list[int]:
        """The distinct words that any text has, rarest first, ties by the word."""
        known = {word: self._terms[word] for word in words if word in self._terms}
        ordered = sorted(known, key=lambda word: (self.having[known[word]], word))
        return [known[word] for word in ordered[:most]]

    def score(self, terms: Sequence[int]) -> npt.NDArray[np.float64]:
        """Terms against all texts -> float [texts], greater is closer."""
        scores = np.zeros(self.size[0])
        for term in terms:
            span = slice(*self._known.indptr[term : term + 2])
            scores[self._known.indices[span]] += self._known.data[span]
        return scores

    def scores(self, queries: Iterable[Sequence[str]]) -> npt.NDArray[np.float64]:
        """Queries against all texts -> float [queries, texts], greater is closer.

        A word that a query repeats counts once.
        """
        found = [self.score(self.terms(query)) for query in queries]
        return np.array(found).reshape(len(found), self.size[0])
