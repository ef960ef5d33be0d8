"""Channel h: the hidden states of one LSTM that reads every component, pooled into one."""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from ticketing.nn.recurrent import EncoderSettings, Pooling, RecurrentEncoder

BUCKETS = 4
"""Texts are read in so many groups of similar length, which keeps padding short."""


class TextLSTM(RecurrentEncoder):
    """An LSTM over word embeddings whose last state (Mueller and Thyagarajan 2016), or the mean of
    whose states, is the text."""

    def __init__(self, word_dims: int, hidden: int, dropout: float, pooling: Pooling):
        super().__init__(word_dims, EncoderSettings(hidden=hidden, pooling=pooling))
        self.dropout = nn.Dropout(dropout)
        self.scale = math.sqrt(word_dims)  # vectors of length 1 would hardly move a gate
        for recurrent in self.lstm.weight_hh_l0.detach().chunk(4):
            nn.init.orthogonal_(recurrent)
        with torch.no_grad():
            self.lstm.bias_ih_l0.zero_()
            self.lstm.bias_hh_l0.zero_()
            self.lstm.bias_ih_l0[hidden : 2 * hidden] = 1.0  # forget gates begin open

    def forward(self, embedded: Tensor, texts: Sequence[Tensor], limit: int) -> Tensor:
        """The first `limit` words of n non-empty texts, as rows of `embedded` [U, dims].

        Returns the state after each text's last word read, or the mean of all: [n, hidden].
        """
        lengths = torch.tensor([min(len(text), limit) for text in texts])
        order = lengths.argsort(stable=True)
        groups = [
            self._read(embedded, [texts[i][:limit] for i in group], lengths[group])
            for group in order.chunk(BUCKETS)
        ]
        return torch.cat(groups)[order.argsort()]

    def _read(self, embedded: Tensor, texts: Sequence[Tensor], lengths: Tensor) -> Tensor:
        words = F.embedding(pad_sequence(texts, batch_first=True), embedded)  # [n, longest, dims]
        return super().forward(self.dropout(words * self.scale), lengths)
