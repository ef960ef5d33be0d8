"""Fine-tuning of a sentence encoder on the desk's texts and labels, for use as a teacher or as
channel S.

The tuned encoder serves many trainings. Only the upper half of its layers is trained: this costs a
quarter of training all and preserves its knowledge of language.
"""

import random
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

import torch
from torch import Tensor

from ticketing.encoders.sentence_transformer import TransformerEncoder
from ticketing.encoders.transformer import Precision, Transformer
from ticketing.errors import InputError
from ticketing.files import short_digest
from ticketing.model.components import Components
from ticketing.model.settings import NetworkSettings
from ticketing.nn.losses import in_batch_softmax
from ticketing.nn.trainer import Trainer
from ticketing.tickets import Label, Ticket
from ticketing.training.corpus import read_corpus
from ticketing.training.losses import also_right, right_answers
from ticketing.training.pretraining import counted
from ticketing.training.sampling import Example, is_validation, labelled, parted, weak
from ticketing.training.settings import TuningSettings

SHARPNESS = 20.0
"""Logit of a cosine of 1."""

MOST_TOKENS = 96
"""Maximum number of tokens of a text while tuning."""


def tune(
    folder: Path,
    tickets: Sequence[Ticket],
    labels: Sequence[Label],
    settings: TuningSettings,
    checkpoints: Path,
    out: Path,
) -> None:
    """Fine-tune the encoder in `folder` and write the result to the folder `out`.

    Each batch holds labelled pairs (REL counts half as much as YES) and as many tickets cut in two;
    the loss is to find each text's partner in the batch. Labels of validation queries are left out,
    so that a later training can fit weights on them. A stopped run resumes from `checkpoints`,
    unless another one was begun there. Raises InputError if there is no YES or REL label.
    """
    learned, _ = parted(labels, is_validation)
    corpus = read_corpus(tickets, learned, NetworkSettings())
    archive, ids = corpus.archive, sorted(corpus.archive.tickets)
    learned = [label for label in learned if label.ticket_id in archive.tickets]
    if not labelled(archive, learned, corpus.queries, random.Random(0)):
        raise InputError(
            "No ticket is judged YES or REL for a query to learn from: about a third of the queries"
            " is kept for measuring, and --before leaves out later tickets. Judge more first, or"
            " train with the encoder untuned."
        )
    transformer = Transformer(folder, Precision.FLOAT32)
    encoder = TransformerEncoder(transformer, corpus.vocabulary, transformer.dims)
    loss = PairLoss(encoder, right_answers(learned))

    def examples(chance: random.Random) -> list[Example]:
        pairs = labelled(archive, learned, corpus.queries, chance)
        return pairs + weak(archive, chance.sample(ids, min(len(pairs), len(ids))), chance)

    transformer.learn_upper_half()
    checkpoints.mkdir(parents=True, exist_ok=True)
    cut = counted(corpus.vocabulary)
    key = short_digest(corpus.digest, cut, transformer.digest, settings.model_dump())
    checkpoint = checkpoints / f"{key}.tuning"
    for other in set(checkpoints.glob("*.tuning")) - {checkpoint}:
        other.unlink(missing_ok=True)
    model, quality = transformer.model, lambda: 0.0
    Trainer(model, settings, examples, loss, quality, checkpoint, keep_last=True).run()
    transformer.save(out)
    checkpoint.unlink()


class PairLoss:
    """Loss for finding each query's ticket in the batch, and each ticket's query."""

    def __init__(self, encoder: TransformerEncoder, right: Mapping[str, Set[str]]):
        self.encoder = encoder
        self.right = right

    def __call__(self, batch: Sequence[Example]) -> Tensor:
        """The batch's loss, a scalar."""
        texts = [self._text(x.query) for x in batch] + [self._text(x.ticket) for x in batch]
        vectors = self.encoder.transformer.embed(texts, MOST_TOKENS)  # [2 B, D], of length 1
        query, ticket = vectors.split(len(batch))
        weights = torch.tensor([x.label for x in batch])
        right = also_right(batch, [x.ticket_key for x in batch], self.right)
        return in_batch_softmax(SHARPNESS * query @ ticket.T, right, weights)

    def _text(self, item: Components) -> str:
        """Subject and description, or the solution if both are missing."""
        subject, description, *rest = item
        if description:
            return self.encoder.whole(subject, description)
        return self.encoder.text(subject or rest[0])
