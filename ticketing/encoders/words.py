"""Word embeddings for serving: 300 dimensions of a word vector and 50 of a spelling vector."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ticketing.encoders.spelling import Speller
from ticketing.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class Words:
    """The embeddings and weights of a vocabulary's words.

    `table` is float32 [V, dims], `weights` float32 [V] (idf). An unknown word has no word vector,
    only a spelling vector in the last dimensions, and the weight of the rarest word.
    """

    table: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]
    speller: Speller

    @classmethod
    def from_arrays(
        cls,
        vocabulary: Vocabulary,
        arrays: Mapping[str, np.ndarray],
        weights: npt.NDArray[np.float32],
    ) -> "Words":
        """Words from a trained network's arrays, `words.weight` [V, word_dims] and `characters.…`.
        The `table` is computed if it is not among them."""
        speller = Speller(
            {name.removeprefix("characters."): array for name, array in arrays.items()}
        )
        table = arrays.get("table")
        if table is None:
            spelled = speller.spelled(["", *vocabulary.words])
            table = np.concatenate([arrays["words.weight"], spelled], axis=1)
        return cls(table, weights, speller)

    @classmethod
    def none(cls) -> "Words":
        """An empty table."""
        return cls(np.empty((0, 0), np.float32), np.empty(0, np.float32), Speller({}))

    def unknown(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Spelling vectors of words outside the vocabulary: float32 [n, character_dims]."""
        return self.speller.spelled(words)

    @property
    def rarest(self) -> float:
        """The weight of the rarest word."""
        return float(self.weights.max(initial=0))
