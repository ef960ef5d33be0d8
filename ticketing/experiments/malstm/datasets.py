"""What a network learns from: pairs that people rated, and all pairs that sentences make.

Rated pairs are multiplied by synonyms, which leave a rating as it is. Before them come *other
pairs*: every two sentences of a batch, as related as a teacher finds them. A teacher is anything
that gives sentences vectors; its cosines become ratings by isotonic regression on the rated pairs.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from sklearn.isotonic import IsotonicRegression
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from torch import Tensor

from ticketing.experiments.malstm.network import SentenceNetwork
from ticketing.experiments.malstm.sick import Pair, words
from ticketing.experiments.malstm.word_vectors import WordVectors

Teacher = Callable[[Sequence[str]], npt.NDArray[np.float32]]
"""Sentences -> unit vectors float32 [n, dims]."""

NEAR, DRAWN = 8, 2
"""A sentence is learned together with so many, drawn from its nearest ones by the teacher."""
UNRELATED = 50
"""Pairs at cosine 0 that are rated 1 beside the rated pairs, of which few are so unlike."""
LEAST_WEIGHT = 0.1
"""Weight of an unrelated pair in the loss; a pair of the highest rating has 1 more."""


def rarity(vectors: WordVectors, sentences: Sequence[str]) -> npt.NDArray[np.float64]:
    """log((N + 1) / (n + 1)) of words that stand in n of N sentences, by id: [V]."""
    seen = Counter(id for s in sentences for id in set(vectors.ids(words(s))))
    counts = np.array([seen[id] for id in range(len(vectors.matrix))])
    return np.log((len(sentences) + 1) / (counts + 1))


def sum_of_words(vectors: WordVectors, weights: npt.NDArray[np.float64]) -> Teacher:
    """The teacher that needs no other model: sums of word vectors (SumEMB), weighted by id [V]."""
    weighted = vectors.matrix * weights[:, None]

    def teach(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        sums = np.array([weighted[vectors.ids(words(text))].sum(0) for text in texts])
        units: npt.NDArray[np.float64] = normalize(sums)
        return units.astype(np.float32)

    return teach


class Example(NamedTuple):
    """A rated pair as word ids, its rating in [0, 1]."""

    one: list[int]
    other: list[int]
    label: float


class RatedPairs:
    """Rated pairs, each epoch with other synonyms in place of a `share` of the words."""

    def __init__(
        self,
        pairs: Sequence[Pair],
        vectors: WordVectors,
        synonyms: Mapping[str, Sequence[str]],
        share: float,
    ):
        self._pairs = [(words(pair.one), words(pair.other), pair.label) for pair in pairs]
        self._vectors = vectors
        self._synonyms = synonyms
        self._share = share

    def examples(self, chance: random.Random) -> list[Example]:
        """All pairs once."""
        return [
            Example(self._ids(one, chance), self._ids(other, chance), label)
            for one, other, label in self._pairs
        ]

    def _ids(self, sentence: Sequence[str], chance: random.Random) -> list[int]:
        if self._share:
            sentence = [
                chance.choice(self._synonyms[word])
                if word in self._synonyms and chance.random() < self._share
                else word
                for word in sentence
            ]
        return self._vectors.ids(sentence)


def rated_loss(network: SentenceNetwork, batch: Sequence[Example]) -> Tensor:
    """Mean squared error of g."""
    vectors = network([e.one for e in batch] + [e.other for e in batch])  # [2B, width]
    similarity = network.similarity(*vectors.chunk(2))  # [B]
    return F.mse_loss(similarity, torch.tensor([e.label for e in batch]))


class TaughtPairs:
    """Sentences in small groups of near ones, and how related the teacher finds any two."""

    def __init__(
        self,
        sentences: Sequence[str],
        rated: Sequence[Pair],
        vectors: WordVectors,
        teacher: Teacher,
    ):
        self._sentences = [vectors.ids(words(sentence)) for sentence in sentences]
        self._vectors = teacher(sentences)  # [N, dims]
        nearest = NearestNeighbors(n_neighbors=min(NEAR, len(sentences) - 1)).fit(self._vectors)
        self._near = nearest.kneighbors(return_distance=False)  # [N, NEAR]
        one, other = teacher([p.one for p in rated]), teacher([p.other for p in rated])
        cosines = np.append((one * other).sum(1), np.zeros(UNRELATED))
        ratings = np.append([pair.label for pair in rated], np.zeros(UNRELATED))
        self._rating = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        self._rating.fit(cosines, ratings)

    def examples(self, chance: random.Random) -> list[list[int]]:
        """Each sentence's number, with those of some near ones."""
        return [
            [i, *chance.sample(near, min(DRAWN, len(near)))]
            for i, near in enumerate(self._near.tolist())
        ]

    def loss(self, network: SentenceNetwork, batch: Sequence[Sequence[int]]) -> Tensor:
        """Mean squared error of g over all pairs of the batch's sentences, related ones first."""
        chosen = sorted({i for group in batch for i in group})
        taught = self._vectors[chosen]
        ratings = self._rating.predict((taught @ taught.T).ravel()).reshape(len(chosen), -1)
        wanted = torch.from_numpy(ratings.astype(np.float32))  # [B, B]
        weights = (wanted + LEAST_WEIGHT).fill_diagonal_(0)
        vectors = network([self._sentences[i] for i in chosen])  # [B, width]
        found = network.similarity(vectors.unsqueeze(1), vectors.unsqueeze(0))  # [B, B]
        return (weights * (found - wanted).square()).sum() / weights.sum()
