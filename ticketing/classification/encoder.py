"""Encodes titles as vectors, character by character, with the weights of a trained Siamese network.

Each character is represented by the sum of vectors of the character itself and of the n-grams of
two to four characters that end there, which share a hashed table. With `ngrams` 1 it is the
character alone, as in Neculoiu et al. (2016).
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from ticketing.batches import batches
from ticketing.classification.taxonomy import LONGEST, normalise
from ticketing.encoders.sums import unit
from ticketing.nn.compiled_lstm import CompiledLSTM, affine, pooled
from ticketing.nn.settings import WIDEST, RecurrentSettings

UNKNOWN = 1
"""Id of a character that is in no title; 0 is padding."""
FACTOR = 1_000_003
ENCODED = 4096
"""Number of texts encoded at a time."""


class CategorySettings(BaseModel):
    """The shape of the network; what differs from the paper is said at each field."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dims: int = Field(64, gt=0, le=WIDEST, description="dimensions of a character's vector")
    ngrams: int = Field(
        4,
        gt=0,
        le=16,
        description="characters of the longest string that has a vector; the paper has 1",
    )
    buckets: int = Field(
        1 << 15,
        gt=1,
        le=1 << 24,
        description="number of vectors that all strings of two or more characters share",
    )
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
        0.5,
        ge=0,
        description="weight of shared character n-grams, beside 1 for the network's "
        "similarity; the paper has 0",
    )
    spelling: float = Field(
        8.0,
        ge=0,
        description="weight of near spellings for a query with an unknown word; the paper has 0",
    )


class CategoryEncoder:
    """Encodes texts as vectors of length 1, with trained weights."""

    def __init__(
        self, characters: str, settings: CategorySettings, arrays: Mapping[str, np.ndarray]
    ):
        """`arrays` are those of the network, with torch's names."""
        self.characters, self.settings, self.arrays = characters, settings, arrays
        self._ids = {character: i for i, character in enumerate(characters, UNKNOWN + 1)}
        start = "encoder.lstm."
        layers = {k.removeprefix(start): x for k, x in arrays.items() if k.startswith(start)}
        ways = ("", "_reverse")[: 1 + settings.encoder.bidirectional]
        self._layers = [
            [CompiledLSTM.from_arrays(layers, f"l{layer}{way}") for way in ways]
            for layer in range(settings.encoder.layers)
        ]

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Encode texts -> float32 [n, width]; a vector does not depend on the other texts."""
        normal = [normalise(text) for text in texts]
        place = {text: i for i, text in enumerate(dict.fromkeys(normal))}
        read = [self._read(some) for some in batches(place, ENCODED)]
        empty = np.empty((0, self.settings.encoder.width), np.float32)
        return np.concatenate([empty, *read])[[place[text] for text in normal]]

    def _read(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        spelled = [self._spell(text) for text in texts]
        bounds = np.cumsum([0, *map(len, spelled)])
        states, places = self._embedded(np.concatenate(spelled), bounds), np.arange(bounds[-1])
        for layer in self._layers:
            ways = [
                lstm.states(lstm.gates(states), places, bounds, turned=bool(way))
                for way, lstm in enumerate(layer)
            ]
            states = np.concatenate(ways, axis=1)
        vectors = pooled(states, bounds, self.settings.encoder.pooling)
        if self.settings.encoder.pooling == "last":  # of what is read from the end, the first
            ends = [vectors[:, : ways[0].shape[1]], *(way[bounds[:-1]] for way in ways[1:])]
            vectors = np.concatenate(ends, axis=1)
        if self.settings.encoder.dense:
            weights = np.ascontiguousarray(self.arrays["encoder.dense.weight"].T)
            vectors = affine(vectors, weights, self.arrays["encoder.dense.bias"])
        return unit(vectors)

    def _spell(self, text: str) -> list[int]:
        return [self._ids.get(c, UNKNOWN) for c in text[:LONGEST]] or [UNKNOWN]

    def _embedded(
        self, ids: npt.NDArray[np.int64], bounds: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float32]:
        """Embed concatenated characters [letters] with their n-grams -> [letters, dims]."""
        embedded: npt.NDArray[np.float32] = self.arrays["letters.weight"][ids]
        inside = np.arange(len(ids)) - np.repeat(bounds[:-1], np.diff(bounds))
        code = ids
        for back in range(1, self.settings.ngrams):
            earlier = np.where(inside >= back, np.roll(ids, back), 0)
            code = code * FACTOR + earlier
            embedded = embedded + self.arrays["strings.weight"][code % self.settings.buckets]
        return embedded
