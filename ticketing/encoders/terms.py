"""Channel L: the words themselves, so that rare names are compared exactly.

A text is represented by its heaviest terms, weighted by idf and damped frequency and scaled to a
fixed sum. The Manhattan distance of two such vectors is 2 - 2 sum(min(a, b)), so only shared terms
matter. The distance also includes the share of a query's text that the whole ticket lacks
(`networks.terms.missing_terms`), since the query's words may be spread over the ticket's
components.

A term is the beginning of a word, so inflected forms have the same term in most languages. Terms
are kept as hash buckets, which exist for unknown words too.
"""

import math
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import repeat
from zlib import crc32

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled
from ticketing.encoders.protocol import EncoderKind, Parts, Texts
from ticketing.text.vocabulary import Vocabulary

TERMS = 32
"""Number of terms kept per text; measured, more do not help."""

BUCKETS = 1 << 16
SUM = 255
"""Sum of the weights of a text, so that it has distance 0 from itself."""

_STEM = 6

REMEMBERED = 1 << 14
"""Number of cached words and terms; the same ones recur with every query."""


@lru_cache(maxsize=REMEMBERED)
def term_of(word: str) -> str:
    """The term of a word, or an empty string for a mask or a mark."""
    return "" if word.startswith("<") or not any(map(str.isalnum, word)) else word[:_STEM]


def terms_of(words: Iterable[str]) -> set[str]:
    """The distinct terms of words, as channel L compares them."""
    return set(map(term_of, words)) - {""}


@lru_cache(maxsize=REMEMBERED)
def bucket_of(term: str) -> int:
    """1 to BUCKETS - 1 for a term, 0 for none."""
    return 1 + crc32(term.encode()) % (BUCKETS - 1) if term else 0


class TermCounts:
    """Document frequencies and idf of terms, from the vocabulary's words."""

    def __init__(self, vocabulary: Vocabulary):
        self.documents = vocabulary.documents
        counts: Counter[str] = Counter()
        for word, count in zip(vocabulary.words, vocabulary.document_counts, strict=True):
            if term := term_of(word):
                counts[term] += count  # upper bound of the documents with any
        self._counts = dict(counts)
        self._idf = {term: self._idf_of(count) for term, count in counts.items()}
        self._unknown_idf = self._idf_of(0)

    def _idf_of(self, count: int) -> float:
        return math.log((self.documents + 1) / (min(count, self.documents) + 0.5))

    def idf(self, terms: Iterable[str]) -> list[float]:
        """Inverse document frequencies; never 0, so that very frequent terms still count a
        little."""
        return list(map(self._idf.get, terms, repeat(self._unknown_idf)))

    def documents_with(self, terms: Iterable[str]) -> list[int]:
        """An upper bound of the number of documents with a word of each term."""
        return list(map(self._counts.get, terms, repeat(0)))


class TermEncoder:
    """Encodes texts, given as vocabulary ids, as buckets and weights; it has no trained
    parameters."""

    shape = (2, TERMS)
    dtype = np.int32

    def __init__(self, parts: Parts):
        vocabulary = parts.vocabulary
        self.counts = TermCounts(vocabulary)
        terms = ["", *map(term_of, vocabulary.words)]
        self._buckets = np.array([bucket_of(term) for term in terms])  # [V]
        self._idf = np.array(self.counts.idf(terms))  # [V]
        [self._unknown_idf] = self.counts.idf([""])

    def __call__(self, texts: Texts) -> npt.NDArray[np.int32]:
        """Encode n texts -> int32 [n, 2, TERMS]: buckets, heaviest first, then weights; padded with
        0."""
        buckets, idf = self._buckets, self._idf
        if unknown := texts.unknown:
            buckets = np.append(buckets, [bucket_of(term_of(word)) for word in unknown])
            idf = np.append(idf, np.full(len(unknown), self._unknown_idf))
        rows = np.zeros((len(texts.ids), *self.shape), dtype=np.int32)
        _fill(buckets[texts.words], idf[texts.words], texts.bounds, rows)
        return rows


@compiled
def _fill(
    buckets: npt.NDArray[np.int64],
    idf: npt.NDArray[np.float64],
    bounds: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int32],
) -> None:
    """Write the heaviest terms of each text [bounds[n], bounds[n + 1]) into its row [2, TERMS].

    A bucket has the idf of its first word; of equal weights the lower bucket comes first.
    """
    for n in range(len(rows)):
        first, last = bounds[n], bounds[n + 1]
        keys = np.sort(buckets[first:last] * (last - first) + np.arange(last - first))
        distinct, weights = np.empty(len(keys), np.int64), np.empty(len(keys))
        found, start = 0, 0
        for i in range(1, len(keys) + 1):
            bucket = keys[start] // len(keys)
            if i < len(keys) and keys[i] // len(keys) == bucket:
                continue
            if bucket:
                times = np.float64(i - start)
                distinct[found] = bucket
                weights[found] = times / (times + 1) * idf[first + keys[start] % len(keys)]
                found += 1
            start = i
        heaviest = np.argsort(-weights[:found], kind="mergesort")[:TERMS]
        total = weights[heaviest].cumsum()
        if not len(total) or total[-1] == 0:
            continue
        before, kept = 0, 0
        for i in range(len(heaviest)):
            until = int(np.rint(total[i] / total[-1] * SUM))
            if until > before:
                rows[n, 0, kept] = distinct[heaviest[i]]
                rows[n, 1, kept] = until - before
                kept += 1
            before = until


def fullness(terms: npt.NDArray[np.int32], full: int) -> npt.NDArray[np.float32]:
    """The share with which texts count as components of a query: int32 [..., 2, TERMS] -> float32
    [...].

    Texts with `full` or more terms count fully, others in proportion to their terms; a text of
    masks alone counts like one term.
    """
    counts = np.count_nonzero(terms[..., 1, :], axis=-1)
    shares: npt.NDArray[np.float32] = (counts.clip(1, full) / full).astype(np.float32)
    return shares


def spread(terms: npt.NDArray[np.int32]) -> npt.NDArray[np.uint8]:
    """Weights by bucket: int32 [..., 2, TERMS] -> uint8 [..., BUCKETS]."""
    buckets, weights = terms[..., 0, :], terms[..., 1, :].astype(np.uint8)
    table = np.zeros((*buckets.shape[:-1], BUCKETS), np.uint8)
    np.put_along_axis(table, buckets, weights, axis=-1)
    return table


KIND = EncoderKind(
    symbol="L",
    label="Same words",
    weight=0.2,
    start_share=0.2,
    grid=(0.1, 0.2, 0.3),
    build=TermEncoder,
)
