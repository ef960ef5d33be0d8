"""Distillation: the network learns to imitate the similarities that a sentence encoder gives to the
texts of a batch.

The teacher encodes whole texts, so the student's multi-channel metric learns, without labels, to
rank by any part of a text as if it had read all of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import torch
from torch import Tensor

from ticketing.encoders.sentence_transformer import TransformerEncoder
from ticketing.jobs import OnStep, Step, ignore_step
from ticketing.training.texts import FieldIds

SUBJECT_WEIGHT = 0.5
"""Weight of the similarity of subjects, relative to that of whole texts."""

SHARPNESS = 20.0
"""Logit of a similarity of 1; large enough for similar texts to stand out."""

FAR = 1e4
"""Replaces infinite distances in a loss."""


class Teacher:
    """A sentence encoder's vectors of all queries and tickets from which examples are made."""

    def __init__(self, encoder: TransformerEncoder, texts: Mapping[str, FieldIds]):
        """`texts` are by the keys used in examples."""
        self.encoder = encoder
        self.texts = texts
        self._subjects = {
            key: encoder.text(fields.get("subject", [])) for key, fields in texts.items()
        }
        self._wholes = {
            key: encoder.whole(fields.get("subject", []), fields.get("description", []))
            for key, fields in texts.items()
        }

    def prepare(self, others: Iterable[str] = (), on_step: OnStep = ignore_step) -> None:
        """Encode all texts and `others`; see Transformer.prepare. Raises whatever `on_step`
        raises."""
        texts = {*self._subjects.values(), *self._wholes.values(), *others} - {""}
        self.encoder.transformer.prepare(
            sorted(texts), "teacher", partial(on_step, Step.PRETRAINING)
        )

    def logits(self, keys: Sequence[str]) -> Tensor:
        """The teacher's similarities of all pairs of texts: [B, B].

        SHARPNESS * (a . b + SUBJECT_WEIGHT * s . t), where a and b are the vectors of two texts'
        "subject. description", and s and t those of their subjects; s is 0 for a text without a
        subject.
        """
        wholes = self._vectors([self._wholes[key] for key in keys])
        subjects = self._vectors([self._subjects[key] or self._wholes[key] for key in keys])
        subjects *= torch.tensor([[bool(self._subjects[key])] for key in keys])
        return SHARPNESS * (wholes @ wholes.T + SUBJECT_WEIGHT * subjects @ subjects.T)

    def _vectors(self, texts: Sequence[str]) -> Tensor:
        """[B, dims]."""
        return torch.from_numpy(self.encoder.transformer(texts))
