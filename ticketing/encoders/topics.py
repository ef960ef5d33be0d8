"""Channel T: the topic vector of a text (DocNADE), over the words that can carry a topic."""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain, pairwise

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled
from ticketing.encoders.protocol import EncoderKind, Saved, Texts
from ticketing.encoders.sums import sums_of
from ticketing.encoders.varimax import varimax
from ticketing.text.vocabulary import UNKNOWN, Vocabulary
from topic_models import DocNADE, DocNADESettings

MOST_COMMON = 0.25
"""A word in more than this share of tickets says nothing about the topic of one."""

OWN = 0.5
"""Least activity of a text's own topics, as a share of its main one's."""

LOADINGS = "loadings"
"""Of the arrays that a bundle keeps, the one that is turned from the others, which takes longer
than all else when a process starts."""

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
        lengths = [len(text) for text in texts]
        ids = np.fromiter(chain.from_iterable(texts), np.int64, sum(lengths))
        own = np.where(ids < len(self._own), self._own[np.minimum(ids, len(self._own) - 1)], -1)
        kept = np.concatenate([[0], (own >= 0).cumsum()])[np.cumsum([0, *lengths])].tolist()
        words = own[own >= 0]
        return [words[start:stop] for start, stop in pairwise(kept)]


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
        return Saved(document, {**self.model.state(), LOADINGS: self.loadings})

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
        activity = self._activities(self.words.documents(texts))
        topics = activity.argmax(1)  # the first of equal ones
        spoken = activity.max(1) > 0
        return [int(topic) if some else None for topic, some in zip(topics, spoken, strict=True)]

    def shared(
        self, one: Sequence[int], others: Sequence[Sequence[int]], words: int = 5
    ) -> list[list[tuple[int, float, list[int]]]]:
        """Topics that are a text's and each of some other texts' own, best first: (topic, the
        smaller of its two activities, words).

        The activity of a topic is the mean of how far a text's words speak for it. A text's own
        topics are its main one and those at least half as active; the others are what any text
        has a little of. `words` are the vocabulary ids, of either text, that speak for a topic
        most. (A topic's own top words may occur in neither text.)
        """
        documents = self.words.documents([one, *others])
        activities = self._activities(documents)  # [1 + others, topics]
        own = activities >= OWN * activities.max(1, keepdims=True)
        both = np.minimum(activities[0], activities[1:])  # [others, topics]
        shared = own[0] & own[1:] & (both > 0)
        found = []
        for other, activity, is_shared in zip(documents[1:], both, shared, strict=True):
            topics = sorted(np.flatnonzero(is_shared).tolist(), key=lambda topic: -activity[topic])
            loudest = self._loudest(documents[0], other, topics, words)
            found.append([*zip(topics, activity[topics].tolist(), loudest, strict=True)])
        return found

    def _activities(self, documents: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.float32]:
        """How far the own words of n texts speak for each topic, on average: [n, topics]; 0 for a
        text without such words."""
        lengths = np.array([[max(len(document), 1)] for document in documents], np.float32)
        activities: npt.NDArray[np.float32] = sums_of(self.loadings, documents) / lengths
        return activities

    def _loudest(
        self,
        one: npt.NDArray[np.int64],
        other: npt.NDArray[np.int64],
        topics: Sequence[int],
        words: int,
    ) -> list[list[int]]:
        """For each topic the vocabulary ids of either text's words that speak for it most."""
        if not topics:
            return []
        loudest = np.full((len(topics), words), -1)
        _find_loudest(self.loadings, one, other, np.array(topics), loudest)
        return [[self.words.ids[own] for own in row if own >= 0] for row in loudest.tolist()]

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


@compiled
def _find_loudest(
    loadings: npt.NDArray[np.float32],
    one: npt.NDArray[np.int64],
    other: npt.NDArray[np.int64],
    topics: npt.NDArray[np.int64],
    loudest: npt.NDArray[np.int64],
) -> None:
    """Fill a row of `loudest` [n, most], -1 everywhere, for each of n topics: the distinct words of
    two texts that speak for it most, of equal ones the lower first."""
    for row in range(len(topics)):
        found, topic = loudest[row], topics[row]
        for i in range(len(one) + len(other)):
            word = one[i] if i < len(one) else other[i - len(one)]
            loading, place = loadings[word, topic], len(found)
            while place and found[place - 1] != word:
                before = found[place - 1]
                if before >= 0:
                    stronger = loadings[before, topic]
                    if stronger > loading or (stronger == loading and before < word):
                        break
                place -= 1
            if (place and found[place - 1] == word) or place == len(found):
                continue
            found[place + 1 :] = found[place:-1].copy()
            found[place] = word


def load_topics(saved: Saved) -> TopicEncoder:
    """What `TopicEncoder.saved` described; loadings that were not saved are found when they are
    asked for."""
    settings = DocNADESettings(**saved.document["settings"])
    state = {name: array for name, array in saved.arrays.items() if name != LOADINGS}
    encoder = TopicEncoder(DocNADE.from_state(settings, state), TopicWords(saved.document["words"]))
    if LOADINGS in saved.arrays:
        encoder.loadings = saved.arrays[LOADINGS]
    return encoder


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
