"""Trains the category classifier from sources of pairs."""

import random
from collections.abc import Sequence
from pathlib import Path

import torch

from ticketing.classification.classifier import CategoryClassifier
from ticketing.classification.encoder import CategoryEncoder
from ticketing.classification.network import CategoryNetwork
from ticketing.classification.objective import objective
from ticketing.classification.pairs import PairSampler, Sources
from ticketing.classification.settings import ClassifierSettings
from ticketing.classification.taxonomy import Taxonomy, sample_titles
from ticketing.classification.trials import Trial, accuracy
from ticketing.nn.trainer import Trainer

SEARCHED_TITLES = 4000
"""Number of titles searched when a trial is evaluated after each epoch, to limit time."""


def train(
    sources: Sources,
    trials: Sequence[Trial],
    settings: ClassifierSettings,
    checkpoint: Path | None = None,
    begin: CategoryClassifier | None = None,
) -> CategoryClassifier:
    """Train a network on the sources and index all their titles.

    The epoch with the best mean accuracy on `trials` is kept. `begin` is a classifier to train
    further; `checkpoint` allows an interrupted run to resume.
    """
    torch.manual_seed(settings.loop.seed)
    if begin:
        network = CategoryNetwork.continued(begin.encoder)
    else:
        characters = "".join(sorted(set("".join(sources.taxonomy.texts))))
        network = CategoryNetwork(characters, settings.network)
    sampler = PairSampler(sources, settings.sampling)
    searched = _searched(sources.taxonomy, trials, settings.loop.seed)
    trainer = Trainer(
        network,
        settings.loop,
        sampler.blocks,
        lambda blocks: objective(network, blocks, settings.objective, sources.codes),
        lambda: _quality(network.trained(), searched, trials),
        checkpoint,
    )
    history = trainer.run()
    return CategoryClassifier.index(network.trained(), sources.taxonomy, {"history": history})


def _searched(taxonomy: Taxonomy, trials: Sequence[Trial], seed: int) -> Taxonomy:
    """The groups in the trials, with titles of other groups up to SEARCHED_TITLES."""
    right = {name for trial in trials for names in trial.right for name in names}
    wanted = [title for title in taxonomy.titles if title.group in right]
    chance = random.Random(seed)
    others = [title for title in taxonomy.titles if title.group not in right]
    room = max(SEARCHED_TITLES - len(wanted), 0)
    return Taxonomy(
        sample_titles(wanted, SEARCHED_TITLES, chance) + sample_titles(others, room, chance)
    )


def _quality(encoder: CategoryEncoder, taxonomy: Taxonomy, trials: Sequence[Trial]) -> float:
    known = encoder.encode(taxonomy.texts)
    figures = [accuracy(t, encoder.encode(t.texts) @ known.T, taxonomy) for t in trials if t.texts]
    return sum(figures) / max(len(figures), 1)
