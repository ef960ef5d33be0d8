"""Channel h: the last hidden state of one LSTM that reads every component."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence


class TextLSTM(nn.Module):
    """An LSTM over word embeddings whose last state is the text (Mueller and Thyagarajan 2016)."""

    def __init__(self, word_dims: int, hidden: int, dropout: float):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.lstm = nn.LSTM(word_dims, hidden, batch_first=True)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Embedded words [n, longest, word_dims], lengths [n] -> [n, hidden]."""
        packed = pack_padded_sequence(
            self.dropout(words), lengths, batch_first=True, enforce_sorted=False
        )
        _, (state, _) = self.lstm(packed)  # [1, n, hidden]
        return state[0]


def pad_embedded(embedded: Tensor, texts: Sequence[Tensor], limit: int) -> tuple[Tensor, Tensor]:
    """The first `limit` words of n texts, each a vector of rows of `embedded` [U, dims].

    Returns [n, longest, dims] and lengths [n]; what stands behind a length is never read.
    """
    cut = [text[:limit] for text in texts]
    lengths = torch.tensor([len(text) for text in cut])
    return F.embedding(pad_sequence(cut, batch_first=True), embedded), lengths
