"""Channel h: the hidden states of one LSTM that reads every component, pooled into one."""

import math
from collections.abc import Sequence
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from ticketing.encoders.protocol import DenseEncoder, EncoderKind, Parts, Texts
from ticketing.nn.recurrent import (
    Pooling,
    RecurrentEncoder,
    RecurrentSettings,
    encode_by_length,
    initialise,
)

BUCKETS = 4
"""Texts are read in so many groups of similar length, which keeps padding short."""


class LSTMEncoder(DenseEncoder):
    """An LSTM over word embeddings whose last state (Mueller and Thyagarajan 2016), or the mean of
    whose states, is the text."""

    def __init__(self, word_dims: int, hidden: int, dropout: float, pooling: Pooling, limit: int):
        """`limit` is how many words of a text are read."""
        super().__init__(hidden)
        self.limit = limit
        self.recurrent = RecurrentEncoder(
            word_dims, RecurrentSettings(hidden=hidden, pooling=pooling)
        )
        self.dropout = nn.Dropout(dropout)
        self.scale = math.sqrt(word_dims)  # vectors of length 1 would hardly move a gate
        initialise(self.recurrent.lstm)

    def forward(self, texts: Texts) -> Tensor:
        """The first `limit` words of n texts -> [n, hidden]."""
        read = partial(self._read, texts.embedded)
        cut = [text[: self.limit] for text in texts.rows]
        return encode_by_length(read, cut, -(-len(cut) // BUCKETS))

    def _read(self, embedded: Tensor, texts: Sequence[Tensor]) -> Tensor:
        padded = pad_sequence(list(texts), batch_first=True)
        words = F.embedding(padded, embedded)  # [n, longest, dims]
        lengths = torch.tensor([len(text) for text in texts])
        vectors: Tensor = self.recurrent(self.dropout(words * self.scale), lengths)
        return vectors


def _build(parts: Parts) -> LSTMEncoder:
    settings = parts.settings
    return LSTMEncoder(
        parts.embedding_dims, settings.hidden, parts.dropout, settings.pooling, settings.max_words
    )


KIND = EncoderKind(
    symbol="h",
    label="Sentence",
    weight=0.7,
    start_share=0.15,  # an LSTM knows nothing at the start
    grid=(0.6, 0.7, 0.8),
    build=_build,
    width=lambda settings: settings.hidden,
)
