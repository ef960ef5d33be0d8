"""Channel h in training: one LSTM reads every component, and its states are pooled into one
vector."""

from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from ticketing.encoders.lstm import input_scale
from ticketing.networks.channels import DenseChannel, EmbeddedTexts
from ticketing.nn.ragged import pieces
from ticketing.nn.ragged_lstm import read_ragged
from ticketing.nn.recurrent import initialise
from ticketing.nn.settings import Pooling


class LSTMChannel(DenseChannel):
    """An LSTM over word embeddings. A text's vector is the last state (Mueller and Thyagarajan
    2016) or the mean of all states."""

    def __init__(self, word_dims: int, hidden: int, dropout: float, pooling: Pooling, limit: int):
        """`limit` is the number of words read of a text. `dropout` drops the same dimensions of a
        word at all its places in a batch."""
        super().__init__(hidden)
        self.limit = limit
        self.pooling = pooling
        lstm = nn.LSTM(word_dims, hidden)
        self.recurrent = nn.ModuleDict({"lstm": lstm})  # its name in bundles
        self.dropout = dropout
        self.scale = input_scale(word_dims)
        initialise(lstm)

    @property
    def lstm(self) -> nn.LSTM:
        """The LSTM layer."""
        return cast(nn.LSTM, self.recurrent["lstm"])

    def forward(self, texts: EmbeddedTexts) -> Tensor:
        """The first `limit` words of n texts -> [n, hidden]."""
        starts = texts.texts.bounds
        places, bounds = pieces(starts[:-1], np.minimum(np.diff(starts), self.limit))
        rows = texts.rows(texts.texts)[torch.from_numpy(places)]
        words = texts.embedded
        if self.training and self.dropout:
            words = words * (_kept(words, self.dropout) * (self.scale / (1 - self.dropout)))
        else:
            words = words * self.scale
        return read_ragged(self.lstm, words, rows, torch.from_numpy(bounds), self.pooling)


def _kept(words: Tensor, dropout: float) -> Tensor:
    """Which values dropout keeps, bool; four are drawn at a time, with 16 bits each."""
    drawn = torch.empty(-(-words.numel() // 4), dtype=torch.int64).random_(-(1 << 63), None)
    chances = drawn.view(torch.int16)[: words.numel()].view(words.shape)
    return chances >= round(dropout * (1 << 16)) - (1 << 15)
