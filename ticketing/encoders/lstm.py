"""Channel h: the hidden states of one LSTM that reads every component, pooled into one."""

import math
from collections.abc import Sequence
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from ticketing.nn.recurrent import (
    EncoderSettings,
    Pooling,
    RecurrentEncoder,
    encode_by_length,
    initialise,
)

BUCKETS = 4
"""Texts are read in so many groups of similar length, which keeps padding short."""


class TextLSTM(RecurrentEncoder):
    """An LSTM over word embeddings whose last state (Mueller and Thyagarajan 2016), or the mean of
    whose states, is the text."""

    def __init__(self, word_dims: int, hidden: int, dropout: float, pooling: Pooling):
        super().__init__(word_dims, EncoderSettings(hidden=hidden, pooling=pooling))
        self.dropout = nn.Dropout(dropout)
        self.scale = math.sqrt(word_dims)  # vectors of length 1 would hardly move a gate
        initialise(self.lstm)

    def forward(self, embedded: Tensor, texts: Sequence[Tensor], limit: int) -> Tensor:
        """The first `limit` words of n non-empty texts, as rows of `embedded` [U, dims].

        Returns the state after each text's last word read, or the mean of all: [n, hidden].
        """
        read = partial(self._read, embedded)
        cut = [text[:limit] for text in texts]
        return encode_by_length(read, cut, -(-len(cut) // BUCKETS))

    def _read(self, embedded: Tensor, texts: Sequence[Tensor]) -> Tensor:
        words = F.embedding(pad_sequence(texts, batch_first=True), embedded)  # [n, longest, dims]
        lengths = torch.tensor([len(text) for text in texts])
        return super().forward(self.dropout(words * self.scale), lengths)
