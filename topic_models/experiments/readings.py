"""How published figures may have read their documents: which counts, word order, vocabulary.

A perplexity is one of sequences, and the same documents make sequences of different surprise:

- long documents repeat their words, and a repeated word is easy to guess, unless counts are
  flattened to round(ln(1 + n)) as Larochelle and Lauly (2012, section 6.1) do;
- in text order neighbours go together; in ascending order of ids each word rules out all that
  come before it, so that guessing a sorted document is guessing a set: a document of n distinct
  words is up to n! times as probable as in random order. What learned sorted documents guesses
  them in that one order; what learned no order is given all of them together;
- rare words are hard to guess, and tell what a short document is about: with all words of its
  texts a data set has a higher perplexity and a higher retrieval precision.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from topic_models.experiments.datasets import Dataset, Part, can_be_read, read_dataset


@dataclass(frozen=True)
class Reading:
    """Which counts, order and vocabulary; `settings` are what DocNADE must know of it.

    With `sets` a document's probability is that of all orders of its words together.
    """

    description: str
    order: Literal["random", "id", "text"]
    flat: bool
    settings: dict[str, Any]
    all_words: bool = False
    sets: bool = False

    def fits(self, folder: Path) -> bool:
        """Whether the files there hold what this reading needs."""
        return can_be_read(folder, in_text_order=not self.flat, all_words=self.all_words)

    def read(self, folder: Path, seed: int = 0) -> Dataset:
        """The data set there read this way; random orders are the same each time.

        Raises DatasetError as `read_dataset` does.
        """
        dataset = read_dataset(folder, seed, in_text_order=not self.flat, all_words=self.all_words)
        if self.order != "random":
            return dataset
        return replace(
            dataset,
            training=_shuffled(dataset.training),
            validation=_shuffled(dataset.validation),
            test=_shuffled(dataset.test),
        )


def _shuffled(part: Part) -> Part:
    random = np.random.default_rng(0)
    return Part([random.permutation(document) for document in part.documents], part.labels)


MIXED = {"orders": 16}
"""Where word order means nothing, the mean probability of several orders is the better estimate:
of that of all orders it is unbiased, so that its logarithm is too low in expectation."""

READINGS = {
    "log-counts": Reading(
        "each word round(ln(1 + n)) times, in random order", "random", True, MIXED
    ),
    "sets": Reading("as log-counts, all orders together", "random", True, MIXED, sets=True),
    "sorted": Reading(
        "each word round(ln(1 + n)) times, in ascending order of ids",
        "id",
        True,
        {"shuffle": False, "leaves": "id"},
    ),
    "counts": Reading("every word, in random order", "random", False, MIXED),
    "text": Reading("every word, in text order", "text", False, {"shuffle": False}),
    "all-words": Reading(
        "as log-counts, of all words of the training texts", "random", True, MIXED, all_words=True
    ),
}


def log_orders(document: npt.NDArray[np.int64]) -> float:
    """The logarithm of the number of distinct orders of a document's words.

    It turns the mean likelihood of orders, or one that does not know any (LDA's), into that of the
    set of the words, which is that of the sorted document.
    """
    _, counts = np.unique(document, return_counts=True)
    return float(gammaln(len(document) + 1) - gammaln(counts + 1).sum())
