"""Titles to vectors, letter by letter: the encoder of a character-level Siamese network.

A letter is read with its neighbours: the sum of vectors for the letter itself and for the two to
four letters that end there, which share a table by a hash. With `ngrams` 1 it is the letter
alone, as in Neculoiu et al. (2016).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from ticketing.classification.taxonomy import LONGEST, normalise
from ticketing.nn.recurrent import RecurrentEncoder, RecurrentSettings, encode_by_length

UNKNOWN = 1
"""Id of a character that no title had; 0 is padding."""
FACTOR = 1_000_003
CHUNK = 64
"""Texts of about one length that are read together."""
ENCODED = 256
"""Texts that are encoded at a time."""


class CategorySettings(BaseModel):
    """The shape of the network; what differs from the paper is said at each field."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dims: int = Field(64, gt=0, description="of a character's vector")
    ngrams: int = Field(4, gt=0, description="longest string with a vector; the paper's is 1")
    buckets: int = Field(1 << 15, gt=1, description="vectors that all longer strings share")
    encoder: RecurrentSettings = Field(
        RecurrentSettings(
            hidden=64,
            layers=1,
            bidirectional=True,
            pooling="mean",
            dense=128,
            recurrent_dropout=0.1,
        ),
        description="the paper has 4 layers, dropout 0.4 and recurrent dropout 0.2",
    )
    lexical: float = Field(
        0.5, ge=0, description="weight of shared letters beside the energy's 1; the paper's is 0"
    )
    spelling: float = Field(
        8.0, ge=0, description="weight of near spellings of unknown words; the paper's is 0"
    )


class CategoryNetwork(nn.Module):
    """Spelled titles to vectors of length 1."""

    def __init__(self, characters: str, settings: CategorySettings):
        super().__init__()
        self.settings = settings
        self.characters = characters
        self._ids = {character: i for i, character in enumerate(characters, UNKNOWN + 1)}
        self.letters = nn.Embedding(len(characters) + 2, settings.dims, padding_idx=0)
        if settings.ngrams > 1:
            self.strings = nn.Embedding(settings.buckets, settings.dims)
            nn.init.normal_(self.strings.weight, std=settings.dims**-0.5)
        self.encoder = RecurrentEncoder(settings.dims, settings.encoder)

    def forward(self, texts: Sequence[str]) -> Tensor:
        """Normalised texts -> unit vectors [n, width]; each distinct text is read once."""
        place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        vectors = encode_by_length(self._read, list(place), CHUNK)
        return F.normalize(vectors, dim=-1)[torch.tensor([place[text] for text in texts])]

    def _read(self, texts: Sequence[str]) -> Tensor:
        vectors: Tensor = self.encoder(*self.embed(texts))
        return vectors

    def embed(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """[n, longest, dims] and lengths [n], at least 1 each."""
        rows = [self._spell(text) for text in texts]
        spelled = pad_sequence(rows, batch_first=True)  # [n, longest]
        embedded = self.letters(spelled)
        code = spelled
        for back in range(1, self.settings.ngrams):
            earlier = F.pad(spelled, (back, 0))[:, : spelled.shape[1]]
            code = code * FACTOR + earlier
            embedded = embedded + self.strings(code % self.settings.buckets)
        return embedded, torch.tensor([len(row) for row in rows])

    def _spell(self, text: str) -> Tensor:
        return torch.tensor([self._ids.get(c, UNKNOWN) for c in text[:LONGEST]] or [UNKNOWN])

    @torch.no_grad()
    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Any texts -> float32 [n, width], the same whatever else is encoded; not for training."""
        self.eval()
        if not texts:
            return np.empty((0, self.settings.encoder.width), dtype=np.float32)
        return encode_by_length(self, [normalise(text) for text in texts], ENCODED).numpy()
