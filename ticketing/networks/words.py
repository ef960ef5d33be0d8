"""The embedding of words as it learns: 300 dimensions of a word's vector, 50 of its spelling."""

import torch
from torch import Tensor, nn

from ticketing.networks.spelling import CharacterBLSTM, spell_padded
from ticketing.text.vocabulary import Vocabulary


class WordEmbedding(nn.Module):
    """Word vectors joined with character vectors.

    `vectors` float32 [len(vocabulary), word_dims]; row 0, of unknown words, is zero and
    stays so: an unknown word is its spelling alone.
    """

    spelled: Tensor
    lengths: Tensor

    def __init__(self, vocabulary: Vocabulary, vectors: Tensor, character_dims: int):
        super().__init__()
        self.words = nn.Embedding.from_pretrained(vectors, freeze=False, padding_idx=0)
        self.characters = CharacterBLSTM(character_dims)
        self.dims = vectors.shape[1] + character_dims
        spelled, lengths = spell_padded(["", *vocabulary.words])
        self.register_buffer("spelled", spelled, persistent=False)  # [V, MAX_CHARACTERS]
        self.register_buffer("lengths", lengths, persistent=False)  # [V]

    def forward(self, ids: Tensor) -> Tensor:
        """Distinct word ids [n] -> [n, dims]; the spelling is the costly part."""
        spelling = self.characters(self.spelled[ids], self.lengths[ids])
        return torch.cat([self.words(ids), spelling], dim=1)
