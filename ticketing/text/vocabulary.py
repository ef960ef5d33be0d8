"""Vocabulary: word ids and document frequencies."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice, repeat
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

UNKNOWN = 0
"""The id of every word that is not in the vocabulary."""


class Vocabulary:
    """Word ids from 1, most frequent first (ties alphabetical); 0 is any unknown word.

    `document_counts[i]` is the number of the `documents` texts that contain word i. The last words
    may be in none: they have ids, but do not count as the vocabulary's own (see `joined_by`).
    `compounds` are words that the texts mostly write in parts, with these parts, joined by blanks.
    """

    def __init__(
        self,
        words: Sequence[str],
        document_counts: Sequence[int],
        documents: int,
        compounds: Mapping[str, str] = MappingProxyType({}),
    ):
        self.words = list(words)
        self.compounds = dict(compounds)
        self.document_counts = list(document_counts)
        self.documents = documents
        self._ids = {word: i for i, word in enumerate(self.words, start=1)}
        self._own = sum(map(bool, self.document_counts))

    @classmethod
    def count(cls, texts: Iterable[Sequence[str]], min_count: int = 2, limit: int = 50_000) -> Self:
        """The vocabulary of tokenized texts: words in at least `min_count` texts, at most `limit`
        words."""
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
        """The vocabulary of words with known document frequencies over `documents` texts."""
        kept = sorted((-n, word) for word, n in counts if n >= min_count)[:limit]
        return cls([word for _, word in kept], [-n for n, _ in kept], documents)

    def __len__(self) -> int:
        """Number of ids, including that of unknown words."""
        return len(self.words) + 1

    def __contains__(self, word: str) -> bool:
        return 0 < self._ids.get(word, UNKNOWN) <= self._own

    def lacking(self, words: Iterable[str]) -> list[str]:
        """Those of the words that are not its own."""
        words = list(words)
        own = range(1, self._own + 1)
        return [word for word, id in zip(words, self.ids(words), strict=True) if id not in own]

    def joined_by(self, words: Iterable[str], most: int) -> Self:
        """The same vocabulary with further words, which are in no text, while it has fewer than
        `most`."""
        more = [*islice(self.lacking(words), max(most - len(self.words), 0))]
        counts = [*self.document_counts, *repeat(0, len(more))]
        return type(self)([*self.words, *more], counts, self.documents, self.compounds)

    def splitting(self, compounds: Mapping[str, str]) -> Self:
        """The same vocabulary with these compounds."""
        return type(self)(self.words, self.document_counts, self.documents, compounds)

    def in_parts(self, tokens: Iterable[str]) -> list[str]:
        """The tokens, with the parts of compounds in place of these."""
        return [part for token in tokens for part in self.compounds.get(token, token).split(" ")]

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """The id of each token."""
        return list(map(self._ids.get, tokens, repeat(UNKNOWN)))

    def ids_of(
        self, texts: Sequence[Sequence[str]]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The ids of the tokens of n texts, concatenated, and the start of each text: int64 [n +
        1], with the end of the last."""
        bounds = np.cumsum([0, *map(len, texts)])
        ids = map(self._ids.get, chain.from_iterable(texts), repeat(UNKNOWN))
        return np.fromiter(ids, np.int64, int(bounds[-1])), bounds

    def share(self, word: str) -> float:
        """The share of texts that contain a word; 0 for an unknown word."""
        id = self._ids.get(word, UNKNOWN)
        return self.document_counts[id - 1] / self.documents if id else 0.0

    def idf(self) -> list[float]:
        """log((N + 1) / (n + 1)) by id; unknown words count as being in no text."""
        counts = [0, *self.document_counts]
        return [math.log((self.documents + 1) / (n + 1)) for n in counts]

    def to_json(self) -> dict[str, Any]:
        """For `from_json`."""
        return {
            "words": self.words,
            "document_counts": self.document_counts,
            "documents": self.documents,
            "compounds": self.compounds,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote. Older bundles have no compounds."""
        compounds = data.get("compounds", {})
        return cls(data["words"], data["document_counts"], data["documents"], compounds)
