"""Distillation: a network imitates how far apart a sentence encoder finds the texts of a batch.

The teacher's distance is equation 1 with one channel, the encoder's vectors, so the student's
whole multi-channel metric learns to rank as it does, from any text, without a label.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor
from tqdm import tqdm

from ticketing.channels.sentences import SentenceChannel
from ticketing.similarity.examples import Archive, Example, Fields
from ticketing.similarity.metric import crossed_distances, present_pair_weights
from ticketing.similarity.network import Components, Side
from topic_models.errors import ModelFileError
from topic_models.files import read_arrays, write_arrays

SHARPNESS = 28.0
"""How far apart the teacher finds unrelated texts: large enough that a near one stands out."""

PIECE = 4096
"""Texts that are encoded between two checkpoints."""

FAR = 1e4
"""Stands for an infinite distance, where a loss needs a number."""


class Teacher:
    """What an encoder makes of every query and ticket that examples are cut from."""

    def __init__(self, channel: SentenceChannel, archive: Archive, queries: Mapping[str, Fields]):
        """`queries` are by the key that examples give them."""
        settings = archive.settings
        self.pair_weights = torch.tensor(settings.pair_weights())  # [P, R]
        self._channel = channel
        self._queries = {
            key: archive.query(fields) for key, fields in (queries | archive.tickets).items()
        }
        self._tickets = {key: archive.ticket(fields) for key, fields in archive.tickets.items()}
        self._scale = SHARPNESS

    def prepare(self, checkpoint: Path) -> None:
        """Encode all texts; a run that was stopped goes on from its last piece."""
        sides = chain(self._queries.values(), self._tickets.values())
        texts = sorted({self._channel.text(text) for side in sides for text in side if text})
        with tqdm(total=len(texts), desc="teacher", unit="text") as bar:
            for start in range(0, len(texts), PIECE):
                piece = texts[start : start + PIECE]
                self._encode(piece, checkpoint.with_name(f"{checkpoint.name}-{start // PIECE}"))
                bar.update(len(piece))
        self._scale = SHARPNESS / max(self._spread(texts), 1e-6)

    def _encode(self, texts: list[str], checkpoint: Path) -> None:
        encoder = self._channel.encoder
        try:
            encoder.remember(texts, read_arrays(checkpoint)[0]["vectors"])
        except ModelFileError:
            write_arrays(checkpoint, {"vectors": encoder(texts)}, {})

    def _spread(self, texts: list[str]) -> float:
        """Mean distance of a few texts."""
        some = torch.from_numpy(self._channel.encoder(texts[:: max(len(texts) // 300, 1)]))
        return float(torch.pdist(some, p=1).mean()) if len(some) > 1 else 1.0

    def distances(self, batch: Sequence[Example], query: Side, ticket: Side) -> Tensor:
        """Distances of a batch's queries and tickets as the teacher sees them: [B, B].

        A component that an example holds in part is seen whole, one that it leaves out is not.
        """
        asked = self._vectors([self._queries[x.query_key] for x in batch])
        found = self._vectors([self._tickets[x.ticket_key] for x in batch])
        size = len(batch)
        weights = present_pair_weights(
            self.pair_weights, query.present.unsqueeze(1), ticket.present[:size].unsqueeze(0)
        )  # [B, B, P, R]
        apart = crossed_distances(asked, found, self.pair_weights > 0)
        return (apart * weights).sum((-2, -1)) * self._scale

    def _vectors(self, sides: Sequence[Components]) -> Tensor:
        """[B, components, dims]; a missing component's are never compared."""
        texts = [text for side in sides for text in side]
        return self._channel(texts).unflatten(0, (len(sides), -1))


def imitation(distances: Tensor, taught: Tensor, same: Tensor) -> Tensor:
    """Cross-entropy of the student's ranking against the teacher's, both ways: a scalar.

    Distances [B, B] each; bool [B, B] marks pairs of one text with itself, which say nothing.
    """
    distances, taught = distances.masked_fill(same, FAR), taught.masked_fill(same, FAR)
    losses = [
        -(F.softmax(-taught, dim) * F.log_softmax(-distances, dim)).sum(dim).mean()
        for dim in (0, 1)
    ]
    return (losses[0] + losses[1]) / 2
