"""Training the subject normaliser: taxonomy and feedback in, model out."""

import random
from collections.abc import Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from pydantic import BaseModel, ConfigDict
from torch import Tensor

from ticketing.categories.model import CategoryModel, continued
from ticketing.categories.network import CategoryNetwork, CategorySettings
from ticketing.categories.recipe import Block, Pair, Recipe, RecipeSettings, Sources
from ticketing.categories.taxonomy import Taxonomy, sample_titles
from ticketing.categories.trials import Trial, accuracy
from ticketing.siamese.losses import contrastive, contrastive_as_printed, softmax, triplet
from ticketing.siamese.trainer import LoopSettings, Trainer

CHECKED_TITLES = 4000
"""Titles among which a trial's groups must be found after each epoch, for the sake of time."""


class TrainSettings(BaseModel):
    """Everything a training is told."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    network: CategorySettings = CategorySettings()
    recipe: RecipeSettings = RecipeSettings()
    loop: LoopSettings = LoopSettings(
        learning_rate=3e-3, epochs=4, patience=4, batch_size=32, decay=True
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
        lambda blocks: objective(network, blocks, settings.recipe),
        lambda: _quality(network, checked, trials),
        checkpoint,
    )
    history = trainer.run()
    return CategoryModel.index(network, sources.taxonomy, {"history": history})


def objective(
    network: CategoryNetwork, blocks: Sequence[Block], settings: RecipeSettings
) -> Tensor:
    """The loss of a batch of blocks: scalar."""
    pairs = [pair for block in blocks for pair in block]
    vectors = network([p.one for p in pairs] + [p.other for p in pairs])  # [2n, width]
    one, other = vectors.chunk(2)
    same = torch.tensor([pair.same for pair in pairs])
    loss = _of_groups([p for p in pairs if p.same], one[same] @ other[same].T, settings)
    if not same.all():
        denied = (one[~same] * other[~same]).sum(-1)  # [titles of a NO]
        share = (~same).sum() / len(pairs)
        loss = loss + share * _denial(denied, settings)
    return loss


def _of_groups(pairs: Sequence[Pair], energies: Tensor, settings: RecipeSettings) -> Tensor:
    """The loss of pairs that belong together, each with each: energies [n, n] -> scalar."""
    number = {name: i for i, name in enumerate(dict.fromkeys(pair.group for pair in pairs))}
    group = torch.tensor([number[pair.group] for pair in pairs])
    same = group == group.unsqueeze(1)  # [n, n]
    if settings.loss == "softmax":
        return softmax(energies, same, settings.temperature)
    own = energies.diagonal()
    if settings.loss == "triplet":
        nearest = energies.masked_fill(same, -1).amax(1)
        return triplet(own, nearest, settings.margin)
    strangers = energies[~same]
    drawn = torch.randperm(len(strangers))[: settings.negatives * len(own)]
    chosen = torch.cat([own, strangers[drawn]])
    together = torch.arange(len(chosen)) < len(own)
    loss = contrastive if settings.loss == "contrastive" else contrastive_as_printed
    return loss(chosen, together, settings.margin)


def _denial(energies: Tensor, settings: RecipeSettings) -> Tensor:
    """The loss of texts with titles that people said NO to: energies [n] -> scalar."""
    if settings.loss == "softmax":
        return F.softplus((energies - settings.margin) / settings.temperature).mean()
    return contrastive(energies, torch.zeros_like(energies).bool(), settings.margin)


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
