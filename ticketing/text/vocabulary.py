"""Words of an archive as dense ids, with the document frequencies that weight them."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice, repeat
from typing import Any, Self

import numpy as np
import numpy.typing as npt

UNKNOWN = 0
"""The id of every word that is not in the vocabulary."""


class Vocabulary:
    """Word ids from 1, most frequent first (ties alphabetical); 0 is any unknown word.

    `document_counts[i]` says in how many of `documents` texts word i occurred. The last words may
    be in none: they have ids, and are not among the vocabulary's own (see `joined_by`).
    """

    def __init__(self, words: Sequence[str], document_counts: Sequence[int], documents: int):
        self.words = list(words)
        self.document_counts = list(document_counts)
        self.documents = documents
        self._ids = {word: i for i, word in enumerate(self.words, start=1)}
        self._own = sum(map(bool, self.document_counts))

    @classmethod
    def count(cls, texts: Iterable[Sequence[str]], min_count: int = 2, limit: int = 50_000) -> Self:
        """The vocabulary of tokenized texts: words in at least `min_count`, at most `limit`."""
        counts: Counter[str] = Counter()
        documents = 0
        for tokens in texts:
            counts.update(set(tokens))
            documents += 1
        return cls.counted(counts.items(), documents, min_count, limit)

    @classmethod
    def counted(
        cls,
        counts: Iterable[tuple[str, int]],
        documents: int,
        min_count: int = 2,
        limit: int = 50_000,
    ) -> Self:
        """The vocabulary of words of which is known in how many of `documents` texts they are."""
        kept = sorted((-n, word) for word, n in counts if n >= min_count)[:limit]
        return cls([word for _, word in kept], [-n for n, _ in kept], documents)

    def __len__(self) -> int:
        """Number of ids, the unknown word's included."""
        return len(self.words) + 1

    def __contains__(self, word: str) -> bool:
        return 0 < self._ids.get(word, UNKNOWN) <= self._own

    def lacking(self, words: Iterable[str]) -> list[str]:
        """Those of some words that it does not hold as its own."""
        words = list(words)
        own = range(1, self._own + 1)
        return [word for word, id in zip(words, self.ids(words), strict=True) if id not in own]

    def joined_by(self, words: Iterable[str], most: int) -> Self:
        """The same and, while it has fewer than `most`, others of these words, which are in no
        text."""
        more = [*islice(self.lacking(words), max(most - len(self.words), 0))]
        counts = [*self.document_counts, *repeat(0, len(more))]
        return type(self)([*self.words, *more], counts, self.documents)

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """One id a token."""
        return list(map(self._ids.get, tokens, repeat(UNKNOWN)))

    def ids_of(
        self, texts: Sequence[Sequence[str]]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """One id a token of n texts, end to end, and where each text begins in them: int64
        [n + 1], the last is where the last one ends."""
        bounds = np.cumsum([0, *map(len, texts)])
        ids = map(self._ids.get, chain.from_iterable(texts), repeat(UNKNOWN))
        return np.fromiter(ids, np.int64, int(bounds[-1])), bounds

    def share(self, word: str) -> float:
        """In what share of the texts a word occurs; 0 for an unknown one."""
        id = self._ids.get(word, UNKNOWN)
        return self.document_counts[id - 1] / self.documents if id else 0.0

    def idf(self) -> list[float]:
        """log((N + 1) / (n + 1)) by id; the unknown word counts as seen in no text."""
        counts = [0, *self.document_counts]
        return [math.log((self.documents + 1) / (n + 1)) for n in counts]

    def to_json(self) -> dict[str, Any]:
        """What `from_json` reads."""
        return {
            "words": self.words,
            "document_counts": self.document_counts,
            "documents": self.documents,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The vocabulary that `to_json` described."""
        return cls(data["words"], data["document_counts"], data["documents"])
