"""Channel T: the topic vector of a text (DocNADE), over the words that can carry a topic."""

from collections.abc import Sequence
from functools import cached_property

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
        self, one: Sequence[int], other: Sequence[int], topics: int = 3, words: int = 5
    ) -> list[tuple[int, float, list[int]]]:
        """Topics of both texts, best first: (topic, the smaller of its two activities, words).

        The activity of a topic is the mean of how far a text's words, each on its own, raise it
        above that of an empty text; `words` are the vocabulary ids, of either text, that raise
        it most. (A topic's own top words may occur in neither text, and the hidden layer of a
        whole text is saturated: it no longer says which of its words mean what.)
        """
        documents = self.documents([one, other])
        if not all(len(document) for document in documents):
            return []
        raised = [self._raised[document] for document in documents]  # [words, topics] each
        both = np.minimum(raised[0].mean(0), raised[1].mean(0))
        spoken, first = np.unique(np.concatenate(documents), return_index=True)
        by_word = np.concatenate(raised)[first]  # [distinct words, topics]
        found = []
        for topic in np.argsort(-both, kind="stable")[:topics]:
            loudest = np.argsort(-by_word[:, topic], kind="stable")[:words]
            found.append((int(topic), float(both[topic]), [self.words[spoken[i]] for i in loudest]))
        return [topic for topic in found if topic[1] > 0]

    @cached_property
    def _raised(self) -> np.ndarray:
        """How far each word on its own raises each topic: float32 [own words, topics], from 0."""
        vectors = self.model.transform([*([word] for word in range(len(self.words))), []])
        return np.maximum(vectors[:-1] - vectors[-1], 0)
