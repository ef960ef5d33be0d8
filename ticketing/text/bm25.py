"""BM25 in memory, for measuring beside it; a store searches words by itself."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from gensim.corpora import Dictionary
from gensim.matutils import corpus2csc
from gensim.models import LuceneBM25Model

K1, B = 1.2, 0.75
"""As SQLite and Elasticsearch have them."""


class BM25:
    """Scores tokenised texts against tokenised queries, as Lucene does."""

    def __init__(self, texts: Sequence[Sequence[str]]):
        self._dictionary = Dictionary(texts)
        bags = [self._dictionary.doc2bow(text) for text in texts]
        weights = LuceneBM25Model(dictionary=self._dictionary, k1=K1, b=B)
        terms = len(self._dictionary)
        self._known = corpus2csc(weights[bags], terms, num_docs=len(bags))  # [terms, texts]

    def scores(self, queries: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
        """Queries against all texts -> float [queries, texts], greater is closer.

        A word that a query repeats counts once.
        """
        bags = [self._dictionary.doc2bow(list(set(query))) for query in queries]
        asked = corpus2csc(bags, len(self._dictionary), num_docs=len(bags))  # [terms, queries]
        scores: npt.NDArray[np.float64] = (asked.T @ self._known).toarray()
        return scores
