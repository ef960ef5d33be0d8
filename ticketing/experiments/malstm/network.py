"""Sentences to vectors, and how alike two of them are: the Siamese LSTM's one side and its metric.

The two sides of a pair go through the same weights, so there is one encoder. Word vectors stay
as they are; only the recurrent layer learns, and with `scaled` how much each of its units counts.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from ticketing.experiments.malstm.word_vectors import WordVectors
from ticketing.nn.recurrent import RecurrentEncoder, encode_by_length, initialise
from ticketing.nn.settings import RecurrentSettings
from ticketing.nn.similarity import cosine, exp_l1, exp_l2

METRICS = {"manhattan": exp_l1, "euclidean": exp_l2, "cosine": cosine}
ENCODED = 256
"""Sentences that are encoded at a time."""


class SentenceSettings(BaseModel):
    """The shape of a network."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    encoder: RecurrentSettings = RecurrentSettings(hidden=50)
    metric: Literal["manhattan", "euclidean", "cosine"] = "manhattan"
    scaled: bool = Field(False, description="whether each unit of a vector has a learned weight")
    dropout: float = Field(
        0.0, ge=0, lt=1, description="share of the word vectors' numbers dropped in training"
    )


class SentenceNetwork(nn.Module):
    """Word ids to vectors, and two vectors to a similarity g of at most 1."""

    words: Tensor
    """Word vectors by id, float32 [V, dims]."""

    def __init__(self, vectors: WordVectors, settings: SentenceSettings):
        super().__init__()
        self.settings = settings
        matrix = torch.from_numpy(vectors.matrix)
        self.register_buffer("words", matrix, persistent=False)  # [V, dims]
        self.encoder = RecurrentEncoder(matrix.shape[1], settings.encoder)
        self.dropout = nn.Dropout(settings.dropout)
        if settings.scaled:
            self.weights = nn.Parameter(torch.zeros(settings.encoder.width))
        initialise(self.encoder.lstm)

    def forward(self, sentences: Sequence[Sequence[int]]) -> Tensor:
        """n sentences of at least one word -> [n, width]."""
        ids = pad_sequence([torch.tensor(ids) for ids in sentences], batch_first=True)
        embedded = self.dropout(F.embedding(ids, self.words))  # [n, longest, dims]
        states: Tensor = self.encoder(embedded, torch.tensor([len(ids) for ids in sentences]))
        return states * F.softplus(self.weights) if self.settings.scaled else states

    def similarity(self, one: Tensor, other: Tensor) -> Tensor:
        """g of vectors that broadcast: [..., width] twice -> [...]."""
        return METRICS[self.settings.metric](one, other)

    @torch.no_grad()
    def encode(self, sentences: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
        """Sentences -> float32 [n, width]; not for training."""
        self.eval()
        if not sentences:
            return np.empty((0, self.settings.encoder.width), dtype=np.float32)
        return encode_by_length(self, sentences, ENCODED).numpy()
