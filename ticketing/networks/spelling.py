"""The network that learns to read the characters of words, as `encoders.spelling` then does."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

from ticketing.encoders.spelling import CHARACTERS, spell


def spell_padded(words: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Character ids [n, longest] (0 pads) and lengths [n] of words, at least one."""
    ids, bounds = map(torch.from_numpy, spell(words))
    lengths = bounds.diff()
    return pad_sequence(ids.split(lengths.tolist()), batch_first=True), lengths


class CharacterBLSTM(nn.Module):
    """A bidirectional LSTM over a word's characters; both final states joined."""

    def __init__(self, dims: int = 50, character_dims: int = 16):
        super().__init__()
        self.characters = nn.Embedding(CHARACTERS, character_dims, padding_idx=0)
        self.lstm = nn.LSTM(character_dims, dims // 2, batch_first=True, bidirectional=True)

    def forward(self, spelled: Tensor, lengths: Tensor) -> Tensor:
        """[n, longest], [n] -> [n, dims]."""
        packed = pack_padded_sequence(
            self.characters(spelled), lengths, batch_first=True, enforce_sorted=False
        )
        _, (state, _) = self.lstm(packed)  # state [2, n, dims / 2]
        return torch.cat([state[0], state[1]], dim=1)
