"""Sentences that nobody wrote, for a teacher to compare: known ones with some words changed."""

import random
from collections import Counter
from collections.abc import Sequence

from sklearn.neighbors import NearestNeighbors

from ticketing.experiments.malstm.sick import words
from ticketing.experiments.malstm.word_vectors import WordVectors

NEAR = 8
"""A word may become one of so many that are nearest to it."""
COMMON = 0.01
"""The most frequent of the words stay as they are: a, is, the, ..."""
MOST_CHANGED = 3
TRIES = 20
"""Changed sentences that are tried for each one wanted, before giving up."""


def augment(
    sentences: Sequence[str], vectors: WordVectors, count: int, chance: random.Random
) -> list[str]:
    """At most `count` new sentences, each once.

    One to three words of a known sentence become near ones or words of any other sentence.
    """
    known = [words(sentence) for sentence in sentences]
    counts = Counter(word for sentence in known for word in sentence)
    common = {word for word, _ in counts.most_common(int(COMMON * len(counts)))}
    near = _near_words(vectors)
    found = dict.fromkeys(map(" ".join, known))
    for _ in range(count * TRIES):
        if len(found) == count + len(set(known)):
            break
        changed = list(chance.choice(known))
        places = [i for i, word in enumerate(changed) if word not in common]
        for i in chance.sample(places, min(len(places), chance.randint(1, MOST_CHANGED))):
            foreign = chance.choice(chance.choice(known))
            choices = near.get(changed[i], ()) if chance.random() < 0.5 else ()
            changed[i] = chance.choice(choices) if choices else foreign
        found[" ".join(changed)] = None
    return list(found)[len(set(known)) :]


def _near_words(vectors: WordVectors) -> dict[str, list[str]]:
    """The nearest words of each word, by the cosine of their vectors."""
    matrix = vectors.unit_vectors()[1:]
    nearest = NearestNeighbors(n_neighbors=min(NEAR, len(matrix) - 1)).fit(matrix)
    return {
        word: [vectors.words[i] for i in row]
        for word, row in zip(vectors.words, nearest.kneighbors(return_distance=False), strict=True)
    }
