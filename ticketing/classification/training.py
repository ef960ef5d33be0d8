"""Training the subject normaliser: taxonomy and feedback in, model out."""

import random
from collections.abc import Sequence
from pathlib import Path

import torch
from pydantic import BaseModel, ConfigDict

from ticketing.classification.model import CategoryModel, continued
from ticketing.classification.network import CategoryNetwork, CategorySettings
from ticketing.classification.objective import objective
from ticketing.classification.pairs import Recipe, RecipeSettings, Sources
from ticketing.classification.taxonomy import Taxonomy, sample_titles
from ticketing.classification.trials import Trial, accuracy
from ticketing.nn.trainer import LoopSettings, Trainer

CHECKED_TITLES = 4000
"""Titles among which a trial's groups must be found after each epoch, for the sake of time."""


class TrainSettings(BaseModel):
    """Everything a training is told."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    network: CategorySettings = CategorySettings()
    recipe: RecipeSettings = RecipeSettings()
    loop: LoopSettings = LoopSettings(
        learning_rate=5e-3, epochs=3, patience=3, batch_size=64, decay=True
    )


def train(
    sources: Sources,
    trials: Sequence[Trial],
    settings: TrainSettings,
    checkpoint: Path | None = None,
    begin: CategoryModel | None = None,
) -> CategoryModel:
    """Train a network on the sources and index all their titles.

    The epoch with the best mean accuracy on `trials` is kept. `begin` is a model to go on from;
    `checkpoint` lets an interrupted run go on.
    """
    torch.manual_seed(settings.loop.seed)
    if begin:
        network = continued(begin.network)
    else:
        characters = "".join(sorted(set("".join(sources.taxonomy.texts))))
        network = CategoryNetwork(characters, settings.network)
    recipe = Recipe(sources, settings.recipe)
    checked = _part(sources.taxonomy, trials, settings.loop.seed)
    trainer = Trainer(
        network,
        settings.loop,
        recipe.blocks,
        lambda blocks: objective(network, blocks, settings.recipe, sources.codes),
        lambda: _quality(network, checked, trials),
        checkpoint,
    )
    history = trainer.run()
    return CategoryModel.index(network, sources.taxonomy, {"history": history})


def _part(taxonomy: Taxonomy, trials: Sequence[Trial], seed: int) -> Taxonomy:
    """The groups that the trials ask for, and titles of others up to CHECKED_TITLES."""
    asked = {name for trial in trials for names in trial.right for name in names}
    wanted = [title for title in taxonomy.titles if title.group in asked]
    chance = random.Random(seed)
    others = [title for title in taxonomy.titles if title.group not in asked]
    room = max(CHECKED_TITLES - len(wanted), 0)
    return Taxonomy(
        sample_titles(wanted, CHECKED_TITLES, chance) + sample_titles(others, room, chance)
    )


def _quality(network: CategoryNetwork, taxonomy: Taxonomy, trials: Sequence[Trial]) -> float:
    known = network.encode(taxonomy.texts)
    figures = [accuracy(t, network.encode(t.texts) @ known.T, taxonomy) for t in trials if t.texts]
    return sum(figures) / max(len(figures), 1)
