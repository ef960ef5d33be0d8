"""Distillation: a network imitates how alike a sentence encoder finds the texts of a batch.

The teacher looks at whole texts, so the student's multi-channel metric learns from any part of a
text to rank as one who has read all of it, without a label.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import torch
from torch import Tensor

from ticketing.encoders.sentence_transformer import TransformerEncoder
from ticketing.jobs import OnStep, Step, ignore_step
from ticketing.training.texts import FieldIds

SUBJECT_WEIGHT = 0.5
"""How much subjects count beside whole texts."""

SHARPNESS = 20.0
"""Logits of a similarity of 1: large enough that a near text stands out."""

FAR = 1e4
"""Stands for an infinite distance, where a loss needs a number."""


class Teacher:
    """What an encoder makes of every query and ticket that examples are cut from."""

    def __init__(self, encoder: TransformerEncoder, texts: Mapping[str, FieldIds]):
        """`texts` are by the key that examples give them."""
        self.encoder = encoder
        self.texts = texts
        self._subjects = {key: self._text(fields, "subject") for key, fields in texts.items()}
        self._wholes = {
            key: encoder.whole(fields.get("subject", []), fields.get("description", []))
            for key, fields in texts.items()
        }

    def _text(self, fields: FieldIds, name: str) -> str:
        return self.encoder.text(fields.get(name, []))

    def prepare(self, others: Iterable[str] = (), on_step: OnStep = ignore_step) -> None:
        """Encode all texts, and others; see Transformer.prepare. Raises whatever `on_step` does."""
        texts = {*self._subjects.values(), *self._wholes.values(), *others} - {""}
        self.encoder.transformer.prepare(
            sorted(texts), "teacher", partial(on_step, Step.PRETRAINING)
        )

    def logits(self, keys: Sequence[str]) -> Tensor:
        """How alike the teacher finds texts, each with each: [B, B].

        SHARPNESS * (a . b + SUBJECT_WEIGHT * s . t), where a and b are the vectors of two texts'
        "subject. description", s and t those of their subjects; a text without a subject has 0.
        """
        wholes = self._vectors([self._wholes[key] for key in keys])
        subjects = self._vectors([self._subjects[key] or self._wholes[key] for key in keys])
        subjects *= torch.tensor([[bool(self._subjects[key])] for key in keys])
        return SHARPNESS * (wholes @ wholes.T + SUBJECT_WEIGHT * subjects @ subjects.T)

    def _vectors(self, texts: Sequence[str]) -> Tensor:
        """[B, dims]."""
        return torch.from_numpy(self.encoder.transformer(texts))
