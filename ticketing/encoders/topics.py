"""Channel T: the topic vector of a text (DocNADE), from words that can indicate a topic."""

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
"""A word in more than this share of tickets is not a topic word."""

OWN = 0.5
"""Minimum activity of a text's own topics, relative to its main topic."""

LOADINGS = "loadings"
"""Name of the saved array with rotated loadings. Computing it would take longer than the rest of
loading a bundle."""

CANDIDATES = 100
"""Number of words with the largest loadings among which a topic's top words are chosen."""


def topic_words(vocabulary: Vocabulary, min_count: int = 3, limit: int = 8000) -> list[int]:
    """Vocabulary ids of the topic words: not masks, not rare and not too frequent."""
    at_most = MOST_COMMON * vocabulary.documents
    counted = zip(vocabulary.words, vocabulary.document_counts, strict=True)
    return [
        id
        for id, (word, count) in enumerate(counted, start=1)
        if min_count <= count <= at_most and word.isalpha() and len(word) > 2
    ][:limit]


class TopicWords:
    """The vocabulary ids on which a topic model was trained, in the order of the model's own
    ids."""

    def __init__(self, ids: Sequence[int]):
        self.ids = list(ids)
        self._own = np.full(max(self.ids, default=UNKNOWN) + 1, -1, dtype=np.int64)
        self._own[self.ids] = np.arange(len(self.ids))

    def documents(self, texts: Sequence[Sequence[int]]) -> list[npt.NDArray[np.int64]]:
        """Texts in the model's ids, without other words."""
        return self.documents_of(*end_to_end(texts))

    def documents_of(
        self, ids: npt.NDArray[np.int64], bounds: npt.NDArray[np.int64]
    ) -> list[npt.NDArray[np.int64]]:
        """The `documents` of n concatenated texts with `bounds` [n + 1]."""
        words, bounds = self.own(ids, bounds)
        return [words[start:stop] for start, stop in pairwise(bounds.tolist())]

    def own(
        self, ids: npt.NDArray[np.int64], bounds: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The topic words of concatenated texts in the model's ids, and the new bounds."""
        own = np.where(ids < len(self._own), self._own[np.minimum(ids, len(self._own) - 1)], -1)
        kept = own >= 0
        return own[kept], np.concatenate([[0], kept.cumsum()])[bounds]


def end_to_end(
    texts: Sequence[Sequence[int]],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Concatenate the words of n texts; also returns the start of each text and the end of the
    last."""
    bounds = np.cumsum([0, *map(len, texts)])
    return np.fromiter(chain.from_iterable(texts), np.int64, int(bounds[-1])), bounds


class TopicEncoder:
    """A fitted DocNADE that encodes texts, given as vocabulary ids, as vectors."""

    dtype = np.float32

    def __init__(self, model: DocNADE, words: TopicWords):
        self.shape = (model.settings.topics,)
        self.model = model
        self.words = words

    def __call__(self, texts: Texts) -> npt.NDArray[np.float32]:
        """n texts -> float32 [n, topics]."""
        return self.model.transform(self.words.documents_of(texts.words, texts.bounds))

    def saved(self) -> Saved:
        """The fitted DocNADE and its words."""
        document = {
            "settings": self.model.settings.model_dump(mode="json"),
            "words": self.words.ids,
        }
        return Saved(document, {**self.model.state(), LOADINGS: self.loadings})

    @cached_property
    def loadings(self) -> npt.NDArray[np.float32]:
        """How strongly each word indicates each topic: float32 [own words, topics], at least 0.

        DocNADE's hidden units may mix topics. A rotation (varimax) keeps their information and
        makes each axis depend on few words. Topics are numbered like the units from which they were
        rotated.
        """
        units = self.model.state()["words"]  # [own words, topics]
        turned = varimax(units - units.mean(0))
        return np.maximum(turned, 0).astype(np.float32)

    def main(self, ids: npt.NDArray[np.int64], bounds: npt.NDArray[np.int64]) -> list[int | None]:
        """The main topic of each of n concatenated texts of vocabulary ids with `bounds` [n + 1]:
        the topic with the highest mean loading of the text's words.

        None for a text without words that indicate a topic.
        """
        activity = self._activities(*self.words.own(ids, bounds))
        topics = activity.argmax(1)  # the first of equal ones
        spoken = activity.max(1) > 0
        return [int(topic) if some else None for topic, some in zip(topics, spoken, strict=True)]

    def shared(
        self, ids: npt.NDArray[np.int64], bounds: npt.NDArray[np.int64], words: int = 5
    ) -> list[list[tuple[int, float, list[int]]]]:
        """Topics that the first text shares with each other text, best first: (topic, the smaller
        of its two activities, words). The texts are concatenated vocabulary ids with `bounds` [1 +
        others + 1].

        The activity of a topic is the mean loading of a text's words. A text's own topics are its
        main one and those at least half as active; any text has a little of the others. `words` are
        the vocabulary ids in either text with the largest loadings. (The topic's own top words may
        occur in neither text.)
        """
        own_words, bounds = self.words.own(ids, bounds)
        activities = self._activities(own_words, bounds)  # [1 + others, topics]
        own = activities >= OWN * activities.max(1, keepdims=True)
        both = np.minimum(activities[0], activities[1:])  # [others, topics]
        shared = own[0] & own[1:] & (both > 0)
        others, topics = shared.nonzero()
        order = np.lexsort((topics, -both[others, topics], others))
        others, topics = others[order], topics[order]
        loudest = np.full((len(topics), words), -1)
        _find_loudest(self.loadings, own_words, bounds, others + 1, topics, loudest)
        found: list[list[tuple[int, float, list[int]]]] = [[] for _ in both]
        rows = others.tolist(), topics.tolist(), both[others, topics].tolist(), loudest.tolist()
        for other, topic, activity, row in zip(*rows, strict=True):
            found[other].append((topic, activity, [self.words.ids[i] for i in row if i >= 0]))
        return found

    def _activities(
        self, words: npt.NDArray[np.int64], bounds: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float32]:
        """Mean loadings of the topic words of n texts with `bounds` [n + 1]: [n, topics]; 0 for a
        text without such words."""
        lengths = np.maximum(np.diff(bounds), 1).astype(np.float32)[:, None]
        activities: npt.NDArray[np.float32] = sums_of(self.loadings, words, bounds) / lengths
        return activities

    def top_words(self, topic: int, vocabulary: Vocabulary, n: int = 6) -> list[str]:
        """The words by which people can recognise a topic, best first. Empty in an archive so small
        that it has no topic words.

        Loadings are multiplied by the logarithm of the word's document frequency, since the words
        with the largest loadings are often rare.
        """
        if not self.words.ids:
            return []
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
    words: npt.NDArray[np.int64],
    bounds: npt.NDArray[np.int64],
    texts: npt.NDArray[np.int64],
    topics: npt.NDArray[np.int64],
    loudest: npt.NDArray[np.int64],
) -> None:
    """Fill the rows of `loudest` [n, most], initially -1, with the distinct words of the first text
    and of one of the `texts` [n] that have the largest loadings for one of the `topics` [n]; of
    equal ones the lower id comes first. The texts are concatenated with `bounds`."""
    most = loudest.shape[1]
    strengths = np.empty(most, np.float32)
    for row in range(len(topics)):
        found, topic, held = loudest[row], topics[row], 0
        for text in (0, texts[row]):
            for i in range(bounds[text], bounds[text + 1]):
                word = words[i]
                strength = loadings[word, topic]
                if held == most and strength < strengths[-1]:  # most are
                    continue
                place = held
                while place and (
                    strengths[place - 1] < strength
                    or (strengths[place - 1] == strength and found[place - 1] > word)
                ):
                    place -= 1
                if place == most or (place and found[place - 1] == word):
                    continue
                held = min(held + 1, most)
                for later in range(held - 1, place, -1):
                    found[later], strengths[later] = found[later - 1], strengths[later - 1]
                found[place], strengths[place] = word, strength


def load_topics(saved: Saved) -> TopicEncoder:
    """Read what `TopicEncoder.saved` wrote. Loadings that were not saved are computed when
    needed."""
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
