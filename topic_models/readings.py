"""How a published perplexity may have read its documents: which counts, which word order.

A perplexity is one of sequences, and the same documents make sequences of different surprise:

- long documents repeat their words, and a repeated word is easy to guess, unless counts are
  flattened to round(ln(1 + n)) as Larochelle and Lauly (2012, section 6.1) do;
- in text order neighbours go together; in ascending order of ids each word rules out all that
  come before it, so that guessing a sorted document is guessing a set: a document of n distinct
  words is up to n! times as probable as in random order.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.special import gammaln

from topic_models.datasets import Dataset, Part


@dataclass(frozen=True)
class Reading:
    """Which counts and which order; `settings` are what DocNADE must know of it."""

    description: str
    order: Literal["random", "id", "text"]
    flat: bool
    settings: dict[str, Any]

    def fits(self, dataset: Dataset) -> bool:
        """Whether the files hold what this reading needs."""
        return self.flat or dataset.in_text_order

    def read(self, dataset: Dataset) -> Dataset:
        """The data set read this way; random orders are the same each time."""
        parts = {
            name: Part(self._documents(part, dataset.in_text_order), part.labels)
            for name, part in dataset.parts.items()
        }
        return replace(dataset, **parts)

    def _documents(self, part: Part, in_text_order: bool) -> list[np.ndarray]:
        documents = part.documents
        if self.flat and in_text_order:
            documents = [log_counts(document) for document in documents]
        if self.order == "random":
            random = np.random.default_rng(0)
            documents = [random.permutation(document) for document in documents]
        return documents


MIXED = {"orders": 16}
"""Where word order means nothing, the mean probability of several orders is the better estimate."""

READINGS = {
    "log-counts": Reading(
        "each word round(ln(1 + n)) times, in random order", "random", True, MIXED
    ),
    "sorted": Reading(
        "each word round(ln(1 + n)) times, in ascending order of ids",
        "id",
        True,
        {"shuffle": False, "leaves": "id"},
    ),
    "counts": Reading("every word, in random order", "random", False, MIXED),
    "text": Reading("every word, in text order", "text", False, {"shuffle": False}),
}


def log_counts(document: np.ndarray) -> np.ndarray:
    """A word that occurs n times round(ln(1 + n)) times, ids ascending."""
    words, counts = np.unique(document, return_counts=True)
    return np.repeat(words, np.rint(np.log1p(counts)).astype(int))


def log_orders(document: np.ndarray) -> float:
    """The logarithm of the number of distinct orders of a document's words.

    It turns a likelihood that does not know orders (LDA's) into that of the sorted document.
    """
    _, counts = np.unique(document, return_counts=True)
    return float(gammaln(len(document) + 1) - gammaln(counts + 1).sum())
