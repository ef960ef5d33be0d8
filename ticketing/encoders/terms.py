"""Channel L: the words themselves, so that a rare name counts as it stands.

A text is its heaviest terms, weighted by idf and damped frequency and scaled to one sum. The
Manhattan distance of two such vectors is 2 - 2 sum(min(a, b)), so only shared terms matter.
Beside it stands how much of a query's text a ticket lacks altogether (`missing_terms`), since what
the query says may be spread over the ticket's components.
A term is the start of a word, which lets inflected forms meet in most languages; terms are
kept as buckets of a hash, which new words have as well as known ones.
"""

import math
from collections import Counter
from collections.abc import Iterable
from zlib import crc32

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ticketing.encoders.protocol import EncoderKind, Saved, Texts
from ticketing.text.vocabulary import Vocabulary

TERMS = 32
"""Terms that are kept of a text; measured, more gain nothing."""

BUCKETS = 1 << 16
SUM = 255
"""What the weights of a text add up to, so that it is at distance 0 from itself."""

_STEM = 6


def term_of(word: str) -> str:
    """The term of a word, or an empty string for a mask or a mark."""
    return "" if word.startswith("<") or not any(map(str.isalnum, word)) else word[:_STEM]


def bucket_of(term: str) -> int:
    """1 to BUCKETS - 1 for a term, 0 for none."""
    return 1 + crc32(term.encode()) % (BUCKETS - 1) if term else 0


class TermCounts:
    """What terms tell, by the documents of a vocabulary that have a word of theirs."""

    def __init__(self, vocabulary: Vocabulary):
        self._documents = vocabulary.documents
        self._counts: Counter[str] = Counter()
        for word, count in zip(vocabulary.words, vocabulary.document_counts, strict=True):
            if term := term_of(word):
                self._counts[term] += count  # at least the documents with any of the words

    def idf(self, term: str) -> float:
        """Never 0: what stands everywhere still ranks below everything else."""
        known = min(self._counts[term], self._documents)
        return math.log((self._documents + 1) / (known + 0.5))

    def unknown(self, words: Iterable[str], own: bool = False) -> float:
        """The share, by idf, of the distinct terms of some words that the vocabulary lacks; 1 for
        none. With `own` the words are those of one of its documents, which then does not count: a
        vocabulary needs two others to know a word."""
        least = 3 if own else 1
        weights = {term: self.idf(term) for term in map(term_of, words) if term}
        lacked = sum(weight for term, weight in weights.items() if self._counts[term] < least)
        return lacked / sum(weights.values()) if weights else 1.0


class TermEncoder(nn.Module):
    """Texts in vocabulary ids to buckets and weights; nothing in it is trained."""

    def __init__(self, vocabulary: Vocabulary):
        super().__init__()
        self._counts = TermCounts(vocabulary)
        terms = ["", *map(term_of, vocabulary.words)]
        self._buckets = np.array([bucket_of(term) for term in terms])  # [V]
        self._idf = np.array([self._counts.idf(term) for term in terms])  # [V]

    def forward(self, texts: Texts) -> Tensor:
        """n texts -> int32 [n, 2, TERMS]: buckets, heaviest first, then weights; 0 fills up."""
        buckets, idf = self._buckets, self._idf
        if unknown := texts.unknown:
            buckets = np.append(buckets, [bucket_of(term_of(word)) for word in unknown])
            idf = np.append(idf, np.full(len(unknown), self._counts.idf("")))
        rows = np.zeros((len(texts.ids), 2, TERMS), dtype=np.int32)
        for row, text in zip(rows, texts.ids, strict=True):
            self._fill(row, buckets[text], idf[text])
        return torch.from_numpy(rows)

    def blank(self, *leading: int) -> Tensor:
        """See Encoder: int32 [*leading, 2, TERMS]."""
        return torch.zeros(*leading, 2, TERMS, dtype=torch.int32)

    def matched(self, query: Tensor, ticket: Tensor) -> Tensor:
        """See Encoder: int [B, P, 2, TERMS], [B, R, 2, TERMS] -> [B, P, R]."""
        return matched_terms(query, ticket)

    def crossed(self, query: Tensor, ticket: Tensor, compared: Tensor) -> Tensor:
        """See Encoder: int [B, P, 2, TERMS], [N, R, 2, TERMS] -> [B, N, P, R], every pair."""
        return crossed_terms(query, ticket)

    def saved(self) -> Saved | None:
        """See Encoder: nothing beside the vocabulary."""
        return None

    @staticmethod
    def _fill(
        row: npt.NDArray[np.int32], buckets: npt.NDArray[np.int64], idf: npt.NDArray[np.float64]
    ) -> None:
        distinct, first, times = np.unique(buckets, return_index=True, return_counts=True)
        weights = times / (times + 1) * idf[first] * (distinct > 0)
        heaviest = np.argsort(-weights, kind="stable")[:TERMS]
        total = weights[heaviest].cumsum()
        if total[-1:].any():
            whole = np.diff(np.rint(total / total[-1] * SUM), prepend=0)
            kept = heaviest[whole > 0]
            row[0, : len(kept)] = distinct[kept]
            row[1, : len(kept)] = whole[whole > 0]


def spread(terms: Tensor) -> Tensor:
    """Weights by bucket: int [..., 2, TERMS] -> uint8 [..., BUCKETS]."""
    buckets, weights = terms.unbind(-2)
    table = torch.zeros(*buckets.shape[:-1], BUCKETS, dtype=torch.uint8)
    return table.scatter_(-1, buckets.long(), weights.to(torch.uint8))


def distance_of(shared: Tensor) -> Tensor:
    """The distance, from 0 to 2, of texts whose weights share so much of SUM."""
    return 2 - 2 * shared / SUM


def matched_terms(query: Tensor, ticket: Tensor) -> Tensor:
    """Distances for B given pairs: int [B, P, 2, TERMS], [B, R, 2, TERMS] -> [B, P, R]."""
    table = spread(query)  # [B, P, BUCKETS]
    buckets, weights = ticket.unbind(-2)  # [B, R, TERMS]
    pairs = (len(query), query.shape[1], *buckets.shape[1:])  # B, P, R, TERMS
    found = table.gather(-1, buckets.long().flatten(1).unsqueeze(1).expand(-1, pairs[1], -1))
    return distance_of(torch.minimum(found.reshape(pairs), weights.unsqueeze(1)).sum(-1))


def crossed_terms(query: Tensor, ticket: Tensor) -> Tensor:
    """Distances, each with each: int [B, P, 2, TERMS], [N, R, 2, TERMS] -> [B, N, P, R]."""
    buckets, weights = ticket.unbind(-2)  # [N, R, TERMS]
    weights = weights.to(torch.uint8)
    shared = torch.stack(
        [
            torch.stack(
                [
                    torch.minimum(table[buckets.long()], weights).sum(-1)  # [N, R]
                    for table in spread(one)
                ],
                -2,
            )  # [N, P, R]
            for one in query
        ]
    )
    return distance_of(shared)


def missing_terms(query: Tensor, ticket: Tensor) -> Tensor:
    """What share of each query text's weight no component of a ticket holds, each with each.

    int [B, P, 2, TERMS], [N, R, 2, TERMS] -> float [B, N, P], from 0 to 1; 1 for an empty text.
    """
    buckets = ticket[:, :, 0].flatten(1).long()  # [N, R * TERMS]
    places = torch.zeros(BUCKETS, dtype=torch.long)
    missing = []
    for text in query:  # [P, 2, TERMS]
        distinct = text[:, 0].unique().long()
        distinct = distinct[distinct > 0]
        places[distinct] = torch.arange(1, len(distinct) + 1)
        held = torch.zeros(len(ticket), len(distinct) + 1).scatter_(1, places[buckets], 1.0)
        places[distinct] = 0
        missing.append(1 - held[:, 1:] @ (spread(text)[:, distinct].float() / SUM).T)  # [N, P]
    return torch.stack(missing)


KIND = EncoderKind(
    symbol="L",
    label="Same words",
    weight=0.2,
    start_share=0.2,
    grid=(0.1, 0.2, 0.3),
    build=lambda parts: TermEncoder(parts.vocabulary),
)
