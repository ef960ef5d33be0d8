"""The vectors that words start from, and stay at: an array and the list of its words."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.preprocessing import normalize

from ticketing.errors import InputError

UNKNOWN = 0
"""Id of a word without a vector."""


class WordVectors:
    """Ids and vectors of lower-case words.

    `matrix` float32 [len(words) + 1, dims]; row 0, of unknown words, is zero, and the others
    have a mean length of 1.
    """

    def __init__(self, words: Sequence[str], matrix: npt.NDArray[np.float32]):
        self.words = list(words)
        self.matrix = matrix
        self._ids = {word: id for id, word in enumerate(self.words, 1)}

    def ids(self, words: Sequence[str]) -> list[int]:
        """One id a word."""
        return [self._ids.get(word, UNKNOWN) for word in words]

    def unit_vectors(self) -> npt.NDArray[np.float32]:
        """The vectors at length 1 (those of zeros stay so): [V, dims]."""
        unit: npt.NDArray[np.float32] = normalize(self.matrix)
        return unit


def read_vectors(path: Path) -> WordVectors:
    """Vectors from NAME.npy, a row for each line of NAME.vocab.txt beside it.

    A word that occurs in several cases has its lower-case vector, or else the first one.
    Raises InputError.
    """
    listed = path.with_suffix(".vocab.txt")
    try:
        matrix = np.load(path, allow_pickle=False)
        spelled = listed.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read: {error.strerror}.") from None
    except (ValueError, EOFError) as error:
        raise InputError(f"{path} or {listed} is damaged ({error}); copy both again.") from None
    if matrix.ndim != 2 or len(matrix) != len(spelled) or matrix.dtype.kind != "f":
        raise InputError(
            f"{path} holds no row of numbers for each of the {len(spelled)} lines of {listed}; "
            "they must belong together."
        )
    rows: dict[str, int] = {}
    for row, word in enumerate(spelled):
        if word == word.lower() or word.lower() not in rows:
            rows[word.lower()] = row
    chosen = matrix[list(rows.values())].astype(np.float32)
    lengths = np.linalg.norm(chosen, axis=1)
    if not (lengths > 0).any():
        raise InputError(f"{path} holds nothing but zeros; copy it again.")
    scaled = chosen / lengths[lengths > 0].mean()
    return WordVectors(list(rows), np.vstack([np.zeros_like(scaled[:1]), scaled]))
