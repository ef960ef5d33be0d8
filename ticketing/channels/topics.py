"""Channel T: the topic vector of a text (DocNADE), over the words that can carry a topic."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from ticketing.text.vocabulary import UNKNOWN, Vocabulary
from topic_models import DocNADE

MOST_COMMON = 0.25
"""A word in more than this share of tickets says nothing about the topic of one."""


def topic_words(vocabulary: Vocabulary, min_count: int = 3, limit: int = 8000) -> list[int]:
    """Vocabulary ids of the words that make topics: neither masks nor rare nor everywhere."""
    at_most = MOST_COMMON * vocabulary.documents
    counted = zip(vocabulary.words, vocabulary.document_counts, strict=True)
    return [
        id
        for id, (word, count) in enumerate(counted, start=1)
        if min_count <= count <= at_most and word.isalpha() and len(word) > 2
    ][:limit]


class TopicChannel:
    """A fitted DocNADE as a fixed map from texts in vocabulary ids to vectors.

    `words` are the vocabulary ids it was trained on, in the order of the model's own ids.
    """

    def __init__(self, model: DocNADE, words: Sequence[int]):
        self.model = model
        self.words = list(words)
        self._own = np.full(max(self.words, default=UNKNOWN) + 1, -1, dtype=np.int64)
        self._own[self.words] = np.arange(len(self.words))

    def documents(self, texts: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """Texts in the model's ids; words without a topic are left out."""
        documents = []
        for text in texts:
            ids = np.asarray(text, dtype=np.int64)
            own = self._own[ids[ids < len(self._own)]]
            documents.append(own[own >= 0])
        return documents

    def __call__(self, texts: Sequence[Sequence[int]]) -> Tensor:
        """n texts in vocabulary ids -> float32 [n, topics]."""
        return torch.from_numpy(self.model.transform(self.documents(texts)))

    def shared(
        self, one: Sequence[int], other: Sequence[int], n: int = 3
    ) -> list[tuple[int, float]]:
        """Topics active in both texts: (topic, the smaller of its activations), best first.

        Activations are measured against the model's answer to an empty text, so that a topic
        that is always on is not shared by everything.
        """
        vectors = self.model.transform(self.documents([one, other, []]))  # [3, topics]
        both = np.minimum(vectors[0], vectors[1]) - vectors[2]
        order = np.argsort(-both, kind="stable")[:n]
        return [(int(topic), float(both[topic])) for topic in order if both[topic] > 0]
