"""Distillation: a network imitates how far apart a sentence encoder finds the texts of a batch.

The teacher's distance is equation 1 with one channel, the encoder's vectors, so the student's
whole multi-channel metric learns to rank as it does, from any text, without a label.
"""

import hashlib
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from ticketing.arrays import read_arrays, write_arrays
from ticketing.encoders.sentence_transformer import SentenceChannel
from ticketing.errors import ArraysError
from ticketing.model.metric import crossed_distances, present_pair_weights
from ticketing.model.network import Components, Side
from ticketing.training.sampling import Archive, Example, Fields

SHARPNESS = 28.0
"""How far apart the teacher finds unrelated texts: large enough that a near one stands out."""

PIECE = 4096
"""Texts that are encoded between two checkpoints."""

NAME_BYTES = 16
"""What stands for a text in a file of vectors."""

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

    def prepare(self, folder: Path) -> None:
        """Encode all texts. What a training on this folder has encoded before, even one that was
        stopped, is read from it."""
        sides = chain(self._queries.values(), self._tickets.values())
        texts = sorted({self._channel.text(text) for side in sides for text in side if text})
        new = self._recall(texts, folder)
        with tqdm(total=len(texts), initial=len(texts) - len(new), desc="teacher") as bar:
            for start in range(0, len(new), PIECE):
                piece = new[start : start + PIECE]
                self._encode(piece, folder)
                bar.update(len(piece))
        self._scale = SHARPNESS / max(self._spread(texts), 1e-6)

    def _recall(self, texts: Sequence[str], folder: Path) -> list[str]:
        """Take the vectors that the folder holds; gives the texts that it lacks. Files that are
        damaged or hold none of the texts go."""
        missing = {_name(text): text for text in texts}
        for file in sorted(folder.glob(f"{self._channel.encoder.digest}.teacher-*")):
            try:
                kept = read_arrays(file)[0]
            except ArraysError:
                kept = {"names": np.zeros((0, NAME_BYTES), np.uint8)}
            found = [(row, bytes(name)) for row, name in enumerate(kept["names"])]
            found = [(row, name) for row, name in found if name in missing]
            if not found:
                file.unlink()
                continue
            rows = [row for row, _ in found]
            known = [missing.pop(name) for _, name in found]
            self._channel.encoder.remember(known, kept["vectors"][rows])
        return list(missing.values())

    def _encode(self, texts: Sequence[str], folder: Path) -> None:
        encoder = self._channel.encoder
        names = [_name(text) for text in texts]
        kept = {
            "names": np.frombuffer(b"".join(names), np.uint8).reshape(-1, NAME_BYTES),
            "vectors": encoder(texts).astype(np.float16),
        }
        piece = hashlib.sha256(b"".join(names)).hexdigest()[:16]
        write_arrays(folder / f"{encoder.digest}.teacher-{piece}", kept)

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


def _name(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:NAME_BYTES]
