"""Fifty dimensions for a word from its spelling, so that a typo is not nothing."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ticketing.nn.compiled_lstm import CompiledLSTM, pooled

MAX_CHARACTERS = 24
ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789-_.'<>/+#äöüßéèàñøå"
CHARACTERS = len(ALPHABET) + 2
"""Ids of characters: 0 pads, 1 is any other."""

_OTHER = 1
_IDS = np.full(256, _OTHER)
_IDS[[ord(character) for character in ALPHABET]] = np.arange(2, CHARACTERS)


def spell(words: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Character ids of words, cut at MAX_CHARACTERS, end to end, and where each word begins.

    -> int64 [characters], int64 [n + 1]; an empty word is one unknown character.
    """
    cut = [word[:MAX_CHARACTERS] or "\uffff" for word in words]
    codes = np.frombuffer("".join(cut).encode("utf-32-le", "surrogatepass"), np.uint32)
    ids = np.where(codes < len(_IDS), _IDS[codes & 255], _OTHER)
    return ids, np.cumsum([0, *map(len, cut)])


class Speller:
    """A bidirectional LSTM over a word's characters; both final states joined."""

    def __init__(self, arrays: Mapping[str, np.ndarray]):
        """`arrays` are the trained ones: `characters.weight` and `lstm.…`; none for no words."""
        layers = {name.removeprefix("lstm."): array for name, array in arrays.items()}
        self._ways = [
            (CompiledLSTM.from_arrays(layers, which), turned)
            for which, turned in (("l0", False), ("l0_reverse", True))
            if arrays
        ]
        self._gates = [lstm.gates(arrays["characters.weight"]) for lstm, _ in self._ways]

    def spelled(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Words -> float32 [n, dims], each the same whatever stands beside it."""
        ids, bounds = spell(words)
        vectors = []
        for (lstm, turned), gates in zip(self._ways, self._gates, strict=True):
            states = lstm.states(gates, ids, bounds, turned=turned)
            vectors.append(states[bounds[:-1]] if turned else pooled(states, bounds, "last"))
        return np.concatenate(vectors, axis=1) if vectors else np.empty((0, 0), np.float32)
