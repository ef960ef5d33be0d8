"""The network that is trained to compute spelling vectors; `encoders.spelling` applies its
weights."""

import torch
from torch import Tensor, nn

from ticketing.encoders.spelling import CHARACTERS
from ticketing.nn.ragged_lstm import read_ragged

WIDTH = 16
"""Dimensions of a character's embedding."""


class CharacterBLSTM(nn.Module):
    """A bidirectional LSTM over a word's characters; both final states joined."""

    def __init__(self, dims: int):
        super().__init__()
        self.characters = nn.Embedding(CHARACTERS, WIDTH, padding_idx=0)
        self.lstm = nn.LSTM(WIDTH, dims // 2, bidirectional=True)

    def forward(self, spelled: Tensor, bounds: Tensor) -> Tensor:
        """Characters of n words, as `encoders.spelling.spell` has them -> [n, dims]."""
        read = [
            read_ragged(self.lstm, self.characters.weight, spelled, bounds, "last", way)
            for way in ("l0", "l0_reverse")
        ]
        return torch.cat(read, dim=1)
