"""Channel h: one LSTM reads every component; its hidden states are pooled into one vector."""

import math

import numpy as np
import numpy.typing as npt

from ticketing.encoders.protocol import EncoderKind, Parts, Texts
from ticketing.nn.compiled_lstm import CompiledLSTM, pooled
from ticketing.nn.ragged import pieces


def input_scale(word_dims: int) -> float:
    """Factor by which the LSTM's inputs are scaled, since vectors of length 1 would hardly affect
    the gates."""
    return math.sqrt(word_dims)


class LSTMEncoder:
    """A trained LSTM over word embeddings.

    The gate inputs of a known word are always the same; they are computed at its first occurrence
    and cached.
    """

    dtype = np.float32

    def __init__(self, parts: Parts):
        layer = {name.removeprefix("recurrent.lstm."): x for name, x in parts.arrays.items()}
        self._lstm = CompiledLSTM.from_arrays(layer)
        self._scale = np.float32(input_scale(parts.words.table.shape[1]))
        self._table = parts.words.table
        self._gates = np.zeros((len(self._table), self._lstm.recurrent.shape[1]), np.float32)
        self._has_gates = np.zeros(len(self._table), np.bool_)
        self._spelling = parts.settings.word_dims
        self._limit, self._pooling = parts.settings.max_words, parts.settings.pooling
        self.shape = (parts.settings.hidden,)

    def __call__(self, texts: Texts) -> npt.NDArray[np.float32]:
        """Encode the first words of n texts (the settings say how many) -> [n, hidden]."""
        lengths = np.minimum(np.diff(texts.bounds), self._limit)
        places, bounds = pieces(texts.bounds[:-1], lengths)
        ids = texts.words[places]
        self._meet(ids)
        others = self._lstm.gates(texts.spelled * self._scale, self._spelling)
        states = self._lstm.states(self._gates, ids, bounds, others)
        return pooled(states, bounds, self._pooling)

    def _meet(self, ids: npt.NDArray[np.int64]) -> None:
        """Compute missing gate inputs of known words. Threads may do this at once, since they
        compute the same values."""
        known = ids[ids < len(self._table)]
        new = np.unique(known[~self._has_gates[known]])
        if len(new):
            self._gates[new] = self._lstm.gates(self._table[new] * self._scale)
            self._has_gates[new] = True


KIND = EncoderKind(
    symbol="h",
    label="Sentence",
    weight=0.7,
    start_share=0.15,  # an untrained LSTM carries no information
    grid=(0.6, 0.7, 0.8),
    build=LSTMEncoder,
    width=lambda settings: settings.hidden,
)
