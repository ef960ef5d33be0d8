"""Spelling vectors: fifty dimensions computed from a word's characters, so that a misspelt word
also has a vector."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ticketing.nn.compiled_lstm import CompiledLSTM, pooled

MAX_CHARACTERS = 24
ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789-_.'<>/+#äöüßéèàñøå"
CHARACTERS = len(ALPHABET) + 2
"""Number of character ids: 0 is padding, 1 any other character."""

_OTHER = 1
_IDS = np.full(256, _OTHER)
_IDS[[ord(character) for character in ALPHABET]] = np.arange(2, CHARACTERS)


def spell(words: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Character ids of words, concatenated, each word cut at MAX_CHARACTERS, and the start of each
    word.

    -> int64 [characters], int64 [n + 1]; an empty word is one unknown character.
    """
    cut = [word[:MAX_CHARACTERS] or "\uffff" for word in words]
    codes = np.frombuffer("".join(cut).encode("utf-32-le", "surrogatepass"), np.uint32)
    ids = np.where(codes < len(_IDS), _IDS[codes & 255], _OTHER)
    return ids, np.cumsum([0, *map(len, cut)])


class Speller:
    """A bidirectional LSTM over a word's characters; the vector is both final states, joined."""

    def __init__(self, arrays: Mapping[str, np.ndarray]):
        """`arrays` are the trained weights `characters.weight` and `lstm.…`; empty if there are no
        words."""
        layers = {name.removeprefix("lstm."): array for name, array in arrays.items()}
        self._ways = [
            (CompiledLSTM.from_arrays(layers, which), turned)
            for which, turned in (("l0", False), ("l0_reverse", True))
            if arrays
        ]
        self._gates = [lstm.gates(arrays["characters.weight"]) for lstm, _ in self._ways]

    def spelled(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Spelling vectors of words -> float32 [n, dims]; a vector does not depend on the other
        words."""
        ids, bounds = spell(words)
        vectors = []
        for (lstm, turned), gates in zip(self._ways, self._gates, strict=True):
            states = lstm.states(gates, ids, bounds, turned=turned)
            vectors.append(states[bounds[:-1]] if turned else pooled(states, bounds, "last"))
        return np.concatenate(vectors, axis=1) if vectors else np.empty((0, 0), np.float32)
