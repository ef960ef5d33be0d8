"""Distillation: a network imitates how far apart a sentence encoder finds the texts of a batch.

The teacher's distance is equation 1 with one channel, the encoder's vectors, so the student's
whole multi-channel metric learns to rank as it does, from any text, without a label.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import torch
from torch import Tensor

from ticketing.encoders.protocol import crossed_manhattan
from ticketing.encoders.sentence_transformer import TransformerEncoder
from ticketing.encoders.vector_cache import VectorCache
from ticketing.model.metric import present_pair_weights
from ticketing.model.network import Components, EncodedComponents
from ticketing.training.sampling import Archive, Example, Fields

SHARPNESS = 28.0
"""How far apart the teacher finds unrelated texts: large enough that a near one stands out."""

FAR = 1e4
"""Stands for an infinite distance, where a loss needs a number."""


class Teacher:
    """What an encoder makes of every query and ticket that examples are cut from."""

    def __init__(
        self, encoder: TransformerEncoder, archive: Archive, queries: Mapping[str, Fields]
    ):
        """`queries` are by the key that examples give them."""
        settings = archive.settings
        self.pair_weights = torch.tensor(settings.pair_weights())  # [P, R]
        self.encoder = encoder
        self._queries = {
            key: archive.query(fields) for key, fields in {**queries, **archive.tickets}.items()
        }
        self._tickets = {key: archive.ticket(fields) for key, fields in archive.tickets.items()}
        self.scale = SHARPNESS

    def prepare(self, folder: Path, words: int = 0) -> None:
        """Encode all texts, and each word alone of an id below `words`. What a training on this
        folder has encoded before, even one that was stopped, is read from it."""
        items = chain(self._queries.values(), self._tickets.values())
        texts = sorted({self.encoder.text(text) for item in items for text in item if text})
        alone = [self.encoder.text([id]) for id in range(1, words)]
        VectorCache(folder, self.encoder.transformer).prepare([*texts, *alone], "teacher")
        self.scale = SHARPNESS / max(self._spread(texts), 1e-6)

    def _spread(self, texts: list[str]) -> float:
        """Mean distance of a few texts."""
        some = torch.from_numpy(self.encoder.transformer(texts[:: max(len(texts) // 300, 1)]))
        return float(torch.pdist(some, p=1).mean()) if len(some) > 1 else 1.0

    def distances(
        self, batch: Sequence[Example], query: EncodedComponents, ticket: EncodedComponents
    ) -> Tensor:
        """Distances of a batch's queries and tickets as the teacher sees them: [B, B].

        A component that an example holds in part is seen whole, one that it leaves out is not.
        """
        asked = self._vectors([self._queries[x.query_key] for x in batch])
        found = self._vectors([self._tickets[x.ticket_key] for x in batch])
        size = len(batch)
        weights = present_pair_weights(
            self.pair_weights, query.present.unsqueeze(1), ticket.present[:size].unsqueeze(0)
        )  # [B, B, P, R]
        apart = crossed_manhattan(asked, found, self.pair_weights > 0)
        return (apart * weights).sum((-2, -1)) * self.scale

    def _vectors(self, items: Sequence[Components]) -> Tensor:
        """[B, components, dims]; a missing component's are never compared."""
        texts = [text for item in items for text in item]
        vectors: Tensor = self.encoder.vectors(texts).unflatten(0, (len(items), -1))
        return vectors
