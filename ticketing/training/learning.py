"""Training of the network: first by imitating a teacher, if there is one, then on labels and the
archive."""

import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ticketing.encoders.registry import ENCODERS
from ticketing.jobs import OnStep, Step
from ticketing.networks.siamese import SiameseNetwork
from ticketing.nn.trainer import Epoch, Trainer
from ticketing.stores.blocks import ChosenIds
from ticketing.tickets import Label
from ticketing.training.corpus import Corpus
from ticketing.training.distillation import Teacher
from ticketing.training.losses import ImitationLoss, LabelLoss, RankingLoss, right_answers
from ticketing.training.sampling import Example, graded, labelled, shown, views, weak
from ticketing.training.settings import TrainingSettings
from ticketing.training.validation import ValidationSet

START_DISTANCE = {"in-batch": 20.0, "mse": 2.0}
"""Initial mean distance of unrelated texts, by loss; g must be neither near 0 nor near 1."""

COVERAGE_SHARE = 0.25
"""Initial distance of a ticket that lacks all of a query's terms (U), relative to
START_DISTANCE."""


def set_start_weights(network: SiameseNetwork, corpus: Corpus, training: TrainingSettings) -> None:
    """Set W so that each channel has its share of the initial distance of unrelated texts.

    Raw Manhattan distances of the channels differ with their widths and ranges. The shares (Table
    2's W if weights are not learned) are shares of the whole distance.
    """
    learned = training.weights == "learned"
    kinds = [ENCODERS[channel] for channel in network.settings.channels]
    shares = [kind.start_share if learned else kind.weight for kind in kinds]
    chance = random.Random(training.seed)
    ids = sorted(corpus.archive.tickets)
    some = weak(corpus.archive, chance.sample(ids, min(len(ids), 200)), chance)
    if not some:
        return
    network.eval()
    with torch.no_grad():
        query = network.encode([x.query for x in some])
        ticket = network.encode([x.ticket for x in some])
        apart, comparable = network.crossed_channels(query, ticket)  # [B, B, C], [B, B]
    if comparable.any():
        wanted = torch.tensor(shares)
        wanted = wanted / wanted.sum() * START_DISTANCE[training.loss]
        weights = wanted / apart[comparable].mean(0).clamp_min(1e-6)
        network.set_weights(network.pair_weights, weights)
    if learned and network.settings.sparse_channel:
        components = len(network.settings.query_components)
        whole = START_DISTANCE[training.loss] * COVERAGE_SHARE
        network.set_coverage_weights(torch.full((components,), whole / components))


def learn(
    network: SiameseNetwork,
    corpus: Corpus,
    labels: Sequence[Label],
    validation: ValidationSet,
    training: TrainingSettings,
    teacher: Teacher | None,
    checkpoint: Path,
    on_step: OnStep,
) -> list[Epoch]:
    """Imitate the teacher, if there is one, then learn from labels and the archive.

    Returns loss and quality by epoch. (Learning both at once was measured and is worse.) Without
    labels, V is not trained: a weak positive has its subject on one side only, so it could only
    teach V that subjects need not be similar.
    """
    learned = training.weights == "learned"
    network.pair_logits.requires_grad_(learned and bool(labels))
    network.channel_logits.requires_grad_(learned)
    network.coverage_logits.requires_grad_(learned)
    run = partial(_run, network, validation, on_step)
    archive, queries, dropout = corpus.archive, corpus.queries, training.spelling_dropout
    if training.loss == "mse":
        return run(
            training,
            LabelLoss(network, dropout),
            lambda _, chance: graded(archive, labels, queries, chance),
            checkpoint,
        )
    imitated: list[Epoch] = []
    if teacher:
        imitated = run(
            training.imitating,
            ImitationLoss(network, dropout, teacher),
            lambda _, chance: views(archive, teacher.texts, chance),
            checkpoint.with_suffix(".imitation"),
            keep_last=True,
        )
    learned_from = np.flatnonzero([id not in validation.left_out for id in corpus.texts])
    weak_ids = ChosenIds(corpus.texts.ids, learned_from)

    def ranked(epoch: int, chance: random.Random) -> list[Example]:
        judged = labelled(archive, labels, queries, chance)
        ids = shown(weak_ids, training.tickets, epoch, training.seed)
        return judged + weak(archive, ids, chance)

    settings = training.tuning if teacher else training
    settings = settings.with_passes(-(-len(weak_ids) // training.tickets))
    ranking = RankingLoss(network, dropout, right_answers(labels))
    return imitated + run(settings, ranking, ranked, checkpoint, keep_last=bool(teacher))


def _run(
    network: SiameseNetwork,
    validation: ValidationSet,
    on_step: OnStep,
    settings: TrainingSettings,
    loss: Callable[[Sequence[Example]], Tensor],
    examples: Callable[[int, random.Random], list[Example]],
    checkpoint: Path,
    keep_last: bool = False,
) -> list[Epoch]:
    """Train with a loss; `examples` are by epoch, numbered from 0."""

    def drawn(chance: random.Random) -> list[Example]:
        return examples(len(trainer.history), chance)

    quality, heard = partial(validation.quality, network), partial(on_step, Step.TRAINING)
    trainer = Trainer(network, settings, drawn, loss, quality, checkpoint, keep_last, heard)
    return trainer.run()
