"""Channel h: the last hidden state of one LSTM that reads every component."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence


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


def pad_texts(texts: list[list[int]], limit: int) -> tuple[Tensor, Tensor]:
    """Texts as a padded id matrix [n, longest] of their first `limit` words, and lengths [n]."""
    lengths = torch.tensor([min(len(text), limit) for text in texts])
    padded = torch.zeros(len(texts), int(lengths.max()), dtype=torch.long)
    for row, text in zip(padded, texts, strict=True):
        row[: min(len(text), limit)] = torch.tensor(text[:limit])
    return padded, lengths
