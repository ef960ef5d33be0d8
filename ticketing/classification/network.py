"""The trainable network that encodes titles; `encoder` applies its weights."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from ticketing.classification.encoder import FACTOR, UNKNOWN, CategoryEncoder, CategorySettings
from ticketing.classification.taxonomy import LONGEST
from ticketing.nn.recurrent import RecurrentEncoder, encode_by_length

CHUNK = 64
"""Number of texts of similar length encoded together."""


class CategoryNetwork(nn.Module):
    """Encodes titles, character by character, as vectors of length 1."""

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
        """Encode normalised texts -> unit vectors [n, width]; each distinct text is encoded
        once."""
        place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        vectors = encode_by_length(self._read, list(place), CHUNK)
        return F.normalize(vectors, dim=-1)[torch.tensor([place[text] for text in texts])]

    def _read(self, texts: Sequence[str]) -> Tensor:
        vectors: Tensor = self.encoder(*self.embed(texts))
        return vectors

    def embed(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Embedded characters [n, longest, dims], and lengths [n], at least 1 each."""
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

    def trained(self) -> CategoryEncoder:
        """The encoder with the trained weights."""
        arrays = {name: value.detach().numpy() for name, value in self.state_dict().items()}
        return CategoryEncoder(self.characters, self.settings, arrays)

    @classmethod
    def continued(cls, encoder: CategoryEncoder) -> "CategoryNetwork":
        """A network with an encoder's weights, for further training."""
        network = cls(encoder.characters, encoder.settings)
        arrays = encoder.arrays.items()
        network.load_state_dict({name: torch.tensor(array) for name, array in arrays})
        return network
