"""Channel T: the topic vector of a text (DocNADE), over the words that can carry a topic."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from ticketing.encoders.protocol import EncoderKind, Saved, Texts
from ticketing.encoders.varimax import varimax
from ticketing.text.vocabulary import UNKNOWN, Vocabulary
from topic_models import DocNADE, DocNADESettings

MOST_COMMON = 0.25
"""A word in more than this share of tickets says nothing about the topic of one."""

OWN = 0.5
"""Least activity of a text's own topics, as a share of its main one's."""

CANDIDATES = 100
"""Words of the largest loadings among which a topic's name is looked for."""


def topic_words(vocabulary: Vocabulary, min_count: int = 3, limit: int = 8000) -> list[int]:
    """Vocabulary ids of the words that make topics: neither masks nor rare nor everywhere."""
    at_most = MOST_COMMON * vocabulary.documents
    counted = zip(vocabulary.words, vocabulary.document_counts, strict=True)
    return [
        id
        for id, (word, count) in enumerate(counted, start=1)
        if min_count <= count <= at_most and word.isalpha() and len(word) > 2
    ][:limit]


class TopicWords:
    """The vocabulary ids that a topic model was trained on, in the order of the model's own ids."""

    def __init__(self, ids: Sequence[int]):
        self.ids = list(ids)
        self._own = np.full(max(self.ids, default=UNKNOWN) + 1, -1, dtype=np.int64)
        self._own[self.ids] = np.arange(len(self.ids))

    def documents(self, texts: Sequence[Sequence[int]]) -> list[npt.NDArray[np.int64]]:
        """Texts in the model's ids; words without a topic are left out."""
        documents = []
        for text in texts:
            ids = np.asarray(text, dtype=np.int64)
            own = self._own[ids[ids < len(self._own)]]
            documents.append(own[own >= 0])
        return documents


class TopicEncoder:
    """A fitted DocNADE as a fixed map from texts in vocabulary ids to vectors."""

    dtype = np.float32

    def __init__(self, model: DocNADE, words: TopicWords):
        self.shape = (model.settings.topics,)
        self.model = model
        self.words = words

    def __call__(self, texts: Texts) -> npt.NDArray[np.float32]:
        """n texts -> float32 [n, topics]."""
        return self.model.transform(self.words.documents(texts.ids))

    def saved(self) -> Saved:
        """The fitted DocNADE and its words."""
        document = {
            "settings": self.model.settings.model_dump(mode="json"),
            "words": self.words.ids,
        }
        return Saved(document, self.model.state())

    @cached_property
    def loadings(self) -> npt.NDArray[np.float32]:
        """How far each word speaks for each topic: float32 [own words, topics], from 0.

        DocNADE's hidden units are free to mix topics: turned axes say the same and each one
        speaks for few words (varimax). Topics are numbered like the units they were turned from.
        """
        units = self.model.state()["words"]  # [own words, topics]
        turned = varimax(units - units.mean(0))
        return np.maximum(turned, 0).astype(np.float32)

    def main(self, texts: Sequence[Sequence[int]]) -> list[int | None]:
        """The main topic of each of n texts: its words speak for it most, on average.

        None for a text whose words speak for no topic.
        """
        documents = self.words.documents(texts)
        bounds = np.cumsum([0, *map(len, documents)])
        words = np.concatenate([np.empty(0, np.int64), *documents])
        size = len(documents), len(self.loadings)
        sums = csr_array((np.ones(len(words), np.float32), words, bounds), size) @ self.loadings
        activity = sums / np.maximum(np.diff(bounds), 1)[:, None].astype(np.float32)
        topics = activity.argmax(1)  # the first of equal ones
        spoken = activity.max(1) > 0
        return [int(topic) if some else None for topic, some in zip(topics, spoken, strict=True)]

    def shared(
        self, one: Sequence[int], other: Sequence[int], words: int = 5
    ) -> list[tuple[int, float, list[int]]]:
        """Topics that are both texts' own, best first: (topic, the smaller of its two activities,
        words).

        The activity of a topic is the mean of how far a text's words speak for it. A text's own
        topics are its main one and those at least half as active; the others are what any text
        has a little of. `words` are the vocabulary ids, of either text, that speak for a topic
        most. (A topic's own top words may occur in neither text.)
        """
        documents = self.words.documents([one, other])
        if not all(len(document) for document in documents):
            return []
        spoken = [self.loadings[document] for document in documents]  # [words, topics] each
        activities = [loadings.mean(0) for loadings in spoken]  # [topics] each
        both = np.minimum(*activities)
        own = [activity >= OWN * activity.max() for activity in activities]
        distinct, first = np.unique(np.concatenate(documents), return_index=True)
        by_word = np.concatenate(spoken)[first]  # [distinct words, topics]
        found = []
        for topic in np.flatnonzero(own[0] & own[1] & (both > 0)):
            loudest = np.argsort(-by_word[:, topic], kind="stable")[:words]
            ids = [self.words.ids[distinct[i]] for i in loudest]
            found.append((int(topic), float(both[topic]), ids))
        return sorted(found, key=lambda topic: -topic[1])

    def top_words(self, topic: int, vocabulary: Vocabulary, n: int = 6) -> list[str]:
        """The words a person can know a topic by, best first: they speak for it and are used.

        A loading counts times the logarithm of the tickets that hold the word, for the words
        of the largest loadings alone are often rare ones.
        """
        loadings = self.loadings[:, topic]
        most = min(CANDIDATES, len(loadings))
        loudest = np.sort(np.argpartition(-loadings, most - 1)[:most])
        counts = [vocabulary.document_counts[self.words.ids[i] - 1] for i in loudest]
        strength = loadings[loudest] * np.log(counts)
        best = np.argsort(-strength, kind="stable")[:n]
        return [vocabulary.words[self.words.ids[loudest[i]] - 1] for i in best if strength[i] > 0]


def load_topics(saved: Saved) -> TopicEncoder:
    """What `TopicEncoder.saved` described."""
    settings = DocNADESettings(**saved.document["settings"])
    words = TopicWords(saved.document["words"])
    return TopicEncoder(DocNADE.from_state(settings, saved.arrays), words)


KIND = EncoderKind(
    symbol="T",
    label="Topics",
    weight=0.2,
    start_share=0.15,
    grid=(0.1, 0.2, 0.3),
    build=lambda parts: parts.resource,
    width=lambda settings: settings.topics,
    save=TopicEncoder.saved,
    load=load_topics,
)
