"""How a model is made: its settings, its members, and their training one after the other.

The rated pairs are dealt into FOLDS parts. A member learns from all parts but one; on that one it
is stopped, and the model's calibration is fitted there, so that nothing is judged by what it has
learnt. A model of FOLDS members has such held-back similarities for every pair.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, Field
from scipy.stats import pearsonr
from sklearn.model_selection import KFold

from ticketing.channels.sentences import SentenceEncoder
from ticketing.sentences.lessons import (
    RatedPairs,
    TaughtPairs,
    rarity,
    rated_loss,
    sum_of_words,
)
from ticketing.sentences.model import SentenceModel
from ticketing.sentences.network import SentenceNetwork, SentenceSettings
from ticketing.sentences.pairs import Pair, sentences, words
from ticketing.sentences.vectors import WordVectors
from ticketing.siamese.encoder import EncoderSettings
from ticketing.siamese.trainer import LoopSettings, Trainer

FOLDS = 10


class Recipe(BaseModel):
    """A model's settings; the loops' seeds are replaced by the member's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    network: SentenceSettings = SentenceSettings(
        encoder=EncoderSettings(hidden=50, pooling="mean"), scaled=True
    )
    teacher: Literal["none", "words", "encoder"] = Field("encoder", description="of other pairs")
    synonyms: float = Field(0.2, ge=0, le=1, description="share of words that synonyms replace")
    members: int = Field(1, ge=1, le=FOLDS)
    pretraining: LoopSettings = LoopSettings(epochs=6, patience=6, batch_size=32, decay=True)
    training: LoopSettings = LoopSettings(
        epochs=16, patience=16, batch_size=32, learning_rate=4e-3, decay=True
    )


@dataclass(frozen=True)
class Material:
    """What every recipe may use; `invented` sentences are for teachers."""

    pairs: Sequence[Pair]
    vectors: WordVectors
    synonyms: Mapping[str, Sequence[str]]
    invented: Sequence[str]
    encoder: SentenceEncoder | None

    @cached_property
    def digest(self) -> str:
        """Names all of it: other material makes other models."""
        named = [self.pairs, self.vectors.words, self.synonyms, self.invented]
        own = hashlib.sha256(json.dumps(named, sort_keys=True).encode())
        own.update(self.vectors.matrix.tobytes())
        own.update(self.encoder.digest.encode() if self.encoder else b"")
        return own.hexdigest()


def learn(recipe: Recipe, material: Material, seed: int, folder: Path) -> SentenceModel:
    """Train a model's members, or go on where an earlier call with this folder was broken off."""
    folds = KFold(FOLDS, shuffle=True, random_state=seed).split(material.pairs)
    networks, kept, similarities = [], [], []
    for number, (learnt, held) in enumerate(islice(folds, recipe.members)):
        member = _Member(recipe, material, learnt, held, seed * FOLDS + number)
        networks.append(member.learn(folder / str(number)))
        similarities.append(member.similarities())
        kept.append(held)
    held = np.concatenate(kept)
    ratings = np.array([material.pairs[i].relatedness for i in held])
    return SentenceModel(material.vectors, networks, held, np.concatenate(similarities), ratings)


class _Member:
    """One network, what it learns from, and what it is stopped on."""

    def __init__(
        self,
        recipe: Recipe,
        material: Material,
        learnt: Sequence[int],
        held: Sequence[int],
        seed: int,
    ):
        self.recipe, self.material, self.seed = recipe, material, seed
        self.learnt = [material.pairs[i] for i in learnt]
        self.held = [material.pairs[i] for i in held]
        torch.manual_seed(seed)
        self.network = SentenceNetwork(material.vectors, recipe.network)

    def learn(self, folder: Path) -> SentenceNetwork:
        """Other pairs first, if there is a teacher, then the rated ones."""
        if self.recipe.teacher != "none":
            taught = self._taught()
            self._run(self.recipe.pretraining, taught.examples, taught.loss, folder / "other")
        rated = RatedPairs(
            self.learnt, self.material.vectors, self.material.synonyms, self.recipe.synonyms
        )
        self._run(self.recipe.training, rated.examples, rated_loss, folder / "rated")
        return self.network

    def similarities(self) -> np.ndarray:
        """g of the held-back pairs: [n]."""
        one, other = (
            self.network.encode([self.material.vectors.ids(words(s)) for s in side])
            for side in ([pair.one for pair in self.held], [pair.other for pair in self.held])
        )
        return self.network.similarity(*map(torch.from_numpy, (one, other))).numpy()

    def _taught(self) -> TaughtPairs:
        known, material = sentences(self.learnt), self.material
        teacher = material.encoder
        if self.recipe.teacher == "words":
            teacher = sum_of_words(material.vectors, rarity(material.vectors, known))
        return TaughtPairs([*known, *material.invented], self.learnt, material.vectors, teacher)

    def _run(self, settings: LoopSettings, examples, loss, checkpoint: Path) -> None:
        Trainer(
            self.network,
            settings.model_copy(update={"seed": self.seed}),
            examples,
            lambda batch: loss(self.network, batch),
            self._quality,
            checkpoint,
        ).run()

    def _quality(self) -> float:
        return float(pearsonr(self.similarities(), [p.relatedness for p in self.held]).statistic)
