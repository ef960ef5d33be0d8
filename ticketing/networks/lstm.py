"""Channel h as it learns: one LSTM reads every component, and its states are pooled into one."""

from collections.abc import Sequence
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from ticketing.encoders.lstm import input_scale
from ticketing.networks.channels import DenseChannel, EmbeddedTexts
from ticketing.nn.recurrent import (
    RecurrentEncoder,
    encode_by_length,
    initialise,
)
from ticketing.nn.settings import Pooling, RecurrentSettings

BUCKETS = 4
"""Texts are read in so many groups of similar length, which keeps padding short."""


class LSTMChannel(DenseChannel):
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
        self.scale = input_scale(word_dims)
        initialise(self.recurrent.lstm)

    def forward(self, texts: EmbeddedTexts) -> Tensor:
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
