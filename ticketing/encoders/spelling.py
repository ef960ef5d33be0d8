"""Fifty dimensions for a word from its spelling, so that a typo is not nothing."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

MAX_CHARACTERS = 24
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789-_.'<>/+#äöüßéèàñøå"
_IDS = {character: i for i, character in enumerate(_ALPHABET, start=2)}
_OTHER = 1


def spell(words: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Character ids [n, longest] (0 pads) and lengths [n] of words, cut at MAX_CHARACTERS."""
    rows = [
        torch.tensor([_IDS.get(c, _OTHER) for c in word[:MAX_CHARACTERS]] or [_OTHER])
        for word in words
    ]
    return pad_sequence(rows, batch_first=True), torch.tensor([len(row) for row in rows])


class CharacterBLSTM(nn.Module):
    """A bidirectional LSTM over a word's characters; both final states joined."""

    def __init__(self, dims: int = 50, character_dims: int = 16):
        super().__init__()
        self.characters = nn.Embedding(len(_ALPHABET) + 2, character_dims, padding_idx=0)
        self.lstm = nn.LSTM(character_dims, dims // 2, batch_first=True, bidirectional=True)

    def forward(self, spelled: Tensor, lengths: Tensor) -> Tensor:
        """[n, longest], [n] -> [n, dims]."""
        packed = pack_padded_sequence(
            self.characters(spelled), lengths, batch_first=True, enforce_sorted=False
        )
        _, (state, _) = self.lstm(packed)  # state [2, n, dims / 2]
        return torch.cat([state[0], state[1]], dim=1)
