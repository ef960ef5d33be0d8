"""Trainable word embeddings: 300 dimensions of a word vector and 50 of a spelling vector."""

import torch
from torch import Tensor, nn

from ticketing.encoders.spelling import spell
from ticketing.networks.spelling import CharacterBLSTM
from ticketing.nn.ragged import pieces
from ticketing.text.vocabulary import Vocabulary


class WordEmbedding(nn.Module):
    """Word vectors joined with spelling vectors.

    `vectors` is float32 [len(vocabulary), word_dims]. Row 0, of unknown words, stays zero, so an
    unknown word has only its spelling vector.
    """

    def __init__(self, vocabulary: Vocabulary, vectors: Tensor, character_dims: int):
        super().__init__()
        self.words = nn.Embedding.from_pretrained(vectors, freeze=False, padding_idx=0)
        self.characters = CharacterBLSTM(character_dims)
        self.dims = vectors.shape[1] + character_dims
        self._spelled, self._bounds = spell(["", *vocabulary.words])

    def forward(self, ids: Tensor) -> Tensor:
        """Embed distinct word ids [n] -> [n, dims]; the spelling vectors take most of the time."""
        starts, ends = self._bounds[ids], self._bounds[ids + 1]
        places, bounds = pieces(starts, ends - starts)
        spelled = torch.from_numpy(self._spelled[places])
        spelling = self.characters(spelled, torch.from_numpy(bounds))
        return torch.cat([self.words(ids), spelling], dim=1)
