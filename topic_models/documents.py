"""Ragged documents: the words of all documents in one array, and the number of words of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topic_models.errors import DocumentsError

Document = Sequence[int] | npt.NDArray[np.integer]
"""Word ids."""

Documents = Sequence[Document]


@dataclass(frozen=True)
class Ragged:
    """Concatenated documents: `words` int64 [tokens], `lengths` int64 [documents]."""

    words: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """Start of each document in `words`, int64 [documents]."""
        return self.lengths.cumsum() - self.lengths

    @property
    def owners(self) -> npt.NDArray[np.int64]:
        """The document of each word, int64 [tokens]."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def take(self, rows: npt.NDArray[np.int64]) -> "Ragged":
        """The documents `rows`, in that order."""
        lengths = self.lengths[rows]
        shift = self.starts[rows] - (lengths.cumsum() - lengths)
        return Ragged(self.words[np.arange(lengths.sum()) + np.repeat(shift, lengths)], lengths)

    def known(self) -> "Ragged":
        """Only the documents with at least one word."""
        return self.take(np.flatnonzero(self.lengths))

    def shuffled(self, random: np.random.Generator) -> "Ragged":
        """The words of each document in random order."""
        order = np.argsort(self.owners + random.random(len(self.words)))
        return Ragged(self.words[order], self.lengths)

    def reordered(self, number: int) -> "Ragged":
        """The words of each document in the `number`th order, which depends only on its length.

        Order 0 is the given one; the others are random.
        """
        if number == 0:
            return self
        keys = np.random.default_rng(number).random(self.lengths.max(initial=0))
        places = np.arange(len(self.words)) - np.repeat(self.starts, self.lengths)
        order = np.argsort(self.owners + keys[places])
        return Ragged(self.words[order], self.lengths)

    def sorted(self) -> "Ragged":
        """The words of each document in ascending order of their ids."""
        base = self.words.max(initial=0) + 1
        return Ragged(np.sort(self.owners * base + self.words) % base, self.lengths)

    def pieces(self, tokens: int) -> Iterator["Ragged"]:
        """Groups of consecutive documents with at most `tokens` words each; a longer document is a
        group of its own."""
        ends = self.lengths.cumsum()
        first = 0
        while first < len(self):
            start = ends[first] - self.lengths[first]
            last = max(first + 1, int(np.searchsorted(ends, start + tokens, side="right")))
            yield Ragged(self.words[start : ends[last - 1]], self.lengths[first:last])
            first = last


def ragged(documents: Documents, vocabulary_size: int) -> Ragged:
    """Join documents, without ids outside [0, vocabulary_size).

    Raises DocumentsError if anything else than an integer is among the words.
    """
    try:
        lengths = np.fromiter(map(len, documents), np.int64, len(documents))
    except TypeError:
        raise DocumentsError("Documents must be a sequence of sequences of word ids.") from None
    words = _joined(documents)
    if words is None:
        number = next(i for i, document in enumerate(documents) if _joined([document]) is None)
        raise DocumentsError(
            f"Document {number} (counted from 0) holds something that is not an integer word id."
        )
    known = (words >= 0) & (words < vocabulary_size)
    if not known.all():
        owners = np.repeat(np.arange(len(lengths)), lengths)
        lengths = np.bincount(owners[known], minlength=len(lengths))
        words = words[known]
    return Ragged(words, lengths)


def trainable(
    documents: Documents, validation: Documents | None, vocabulary_size: int
) -> tuple[Ragged, Ragged | None]:
    """Training and validation documents that have known words.

    Raises DocumentsError if none is left in one of them.
    """
    training = ragged(documents, vocabulary_size).known()
    ragged_validation = None if validation is None else ragged(validation, vocabulary_size).known()
    for name, part in (("training", training), ("validation", ragged_validation)):
        if part is not None and not len(part):
            raise DocumentsError(f"No {name} document has a word of the vocabulary.")
    return training, ragged_validation


def _joined(documents: Documents) -> npt.NDArray[np.int64] | None:
    """All words concatenated as int64, or None if one of them is not an integer."""
    try:
        filled = [np.asarray(document) for document in documents if len(document)]
        words = np.concatenate(filled) if filled else np.zeros(0, np.int64)
    except ValueError:  # sequences among the words
        return None
    if words.ndim != 1 or not np.can_cast(words.dtype, np.int64):
        return None
    return words.astype(np.int64, copy=False)
