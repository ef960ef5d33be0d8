"""Baseline matchers without training: n-grams, character TF-IDF and edit distance."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

Scores = npt.NDArray[np.floating]


class Matcher(Protocol):
    """Scores how well each known text matches a query."""

    def scores(self, queries: Sequence[str]) -> Scores:
        """Scores of queries with all known texts -> float [queries, texts], greater is closer."""
        ...


class NgramMatcher:
    """A matcher of trigram sets T, our reading of the baseline in section 4.1 of Neculoiu et al.
    (2016). The formula was not compared with the printed one, so the results may differ.

    sim(Q, C) = |A| - W (|T(Q) - T(C)| + |T(C) - T(Q)|), where A is the intersection of T(Q) and
    T(C), and W = 1 - |M - N| / max(M, N) for their lengths M and N. If words are added to an input,
    the lengths differ more, and trigrams that are not shared count less.
    """

    def __init__(self, texts: Sequence[str]):
        self._counter = CountVectorizer(analyzer=trigrams, dtype=np.float32)
        known = self._counter.fit_transform(texts)  # [texts, grams]
        self._known = known.T.tocsr()
        self._grams = np.asarray(known.sum(1)).ravel()  # [texts]
        self._lengths = _lengths(texts)  # [texts]

    def scores(self, queries: Sequence[str]) -> Scores:
        """See Matcher."""
        shared = (self._counter.transform(queries) @ self._known).toarray()  # [queries, texts]
        grams = np.array([len(trigrams(text)) for text in queries], dtype=np.float32)
        lengths = _lengths(queries)[:, None]
        apart = np.abs(lengths - self._lengths) / np.maximum(lengths, self._lengths)
        found: Scores = shared - (1 - apart) * (grams[:, None] + self._grams - 2 * shared)
        return found


class TfidfMatcher:
    """Cosine of TF-IDF weighted character n-grams of 2 to 4 within words."""

    def __init__(self, texts: Sequence[str]):
        self._vectorizer = character_tfidf()
        self._known = self._vectorizer.fit_transform(texts).T.tocsr()

    def scores(self, queries: Sequence[str]) -> Scores:
        """See Matcher."""
        found: Scores = (self._vectorizer.transform(queries) @ self._known).toarray()
        return found


class SpellingMatcher:
    """Scores near spellings of queries with a word that no text has; 0 for all other queries.

    An unknown word may be a typo, while a letter more or less in a known word makes another word.
    The score is the eighth power of 1 - d / (m + n), with d the number of letters to delete and
    insert, and m and n the lengths. It is near 0 unless the spellings are near.
    """

    def __init__(self, texts: Sequence[str]):
        self._texts = texts
        self._words = {word for text in texts for word in text.split()}

    def scores(self, queries: Sequence[str]) -> Scores:
        """See Matcher."""
        scores = np.zeros((len(queries), len(self._texts)), dtype=np.float32)
        new = [i for i, query in enumerate(queries) if not self._words.issuperset(query.split())]
        if new:
            asked = [queries[i] for i in new]
            alike = cdist(asked, self._texts, scorer=Indel.normalized_similarity, dtype=np.float32)
            scores[new] = alike**8
        return scores


def character_tfidf() -> TfidfVectorizer:
    """TF-IDF weights of character n-grams of 2 to 4 within words."""
    return TfidfVectorizer(
        analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True, dtype=np.float32
    )


def trigrams(text: str) -> list[str]:
    """Distinct substrings of three characters; a shorter text is its own only one."""
    return sorted({text[i : i + 3] for i in range(max(len(text) - 2, 1))})


def _lengths(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    return np.array([len(text) for text in texts], dtype=np.float32)
