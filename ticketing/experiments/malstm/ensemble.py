"""How a model is made: its settings, its members, and their training one after the other.

The rated pairs are dealt into FOLDS parts. A member learns from all parts but one; on that one it
is stopped, and the model's calibration is fitted there, so that nothing is judged by what it has
learned. So in a model of FOLDS members every pair is a validation pair once. A teacher's other
pairs come first and are shared by all members: they have the sentences of all parts, and of their
ratings, those of validation parts included, the curve that maps cosines to them and the choice of
the best epoch.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch
from pydantic import BaseModel, ConfigDict, Field
from scipy.stats import pearsonr
from sklearn.model_selection import KFold

from ticketing.encoders.transformer import Transformer
from ticketing.errors import InputError
from ticketing.experiments.malstm.datasets import (
    RatedPairs,
    TaughtPairs,
    Teacher,
    rarity,
    rated_loss,
    sum_of_words,
)
from ticketing.experiments.malstm.model import SentenceModel
from ticketing.experiments.malstm.network import SentenceNetwork, SentenceSettings
from ticketing.experiments.malstm.sick import Pair, sentences, words
from ticketing.experiments.malstm.word_vectors import WordVectors
from ticketing.nn.settings import LoopSettings, RecurrentSettings
from ticketing.nn.trainer import Trainer

FOLDS = 10
LEAST_PAIRS = 2 * FOLDS
"""A correlation needs two pairs of each part."""
MOST_SEED = 2**32 // FOLDS - 1
"""The members' own seeds are FOLDS times as great, and below 2 ** 32."""


class ModelSettings(BaseModel):
    """A model's settings; the loops' seeds are replaced by the member's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    network: SentenceSettings = SentenceSettings(
        encoder=RecurrentSettings(hidden=50, pooling="mean"), scaled=True
    )
    teacher: Literal["none", "words", "encoder"] = Field(
        "encoder", description="what rates further pairs to learn from first"
    )
    synonyms: float = Field(0.1, ge=0, le=1, description="share of words that synonyms replace")
    members: int = Field(1, ge=1, le=FOLDS)
    pretraining: LoopSettings = LoopSettings(
        epochs=4, patience=4, batch_size=32, learning_rate=1e-2, decay=True
    )
    training: LoopSettings = LoopSettings(
        epochs=16, patience=16, batch_size=32, learning_rate=1.2e-2, decay=True
    )


@dataclass(frozen=True)
class TrainingData:
    """What every model may learn from; `augmented` sentences are for teachers.

    Raises InputError for fewer than LEAST_PAIRS pairs.
    """

    pairs: Sequence[Pair]
    vectors: WordVectors
    synonyms: Mapping[str, Sequence[str]]
    augmented: Sequence[str]
    encoder: Transformer | None

    def __post_init__(self) -> None:
        if len(self.pairs) < LEAST_PAIRS:
            raise InputError(
                f"There are {len(self.pairs)} pairs to learn from, and {LEAST_PAIRS} are needed, "
                f"two for each of {FOLDS} parts; add some to SICK_train.txt or SICK_trial.txt."
            )

    @cached_property
    def digest(self) -> str:
        """Names all of it: other data makes other models."""
        named = [self.pairs, self.vectors.words, self.synonyms, self.augmented]
        own = hashlib.sha256(json.dumps(named, sort_keys=True).encode())
        own.update(self.vectors.matrix.tobytes())
        own.update(self.encoder.digest.encode() if self.encoder else b"")
        return own.hexdigest()


def learn(settings: ModelSettings, data: TrainingData, seed: int, folder: Path) -> SentenceModel:
    """Train a model's members, or go on where an earlier call with this folder was broken off.

    All members begin as one network that has learned the teacher's other pairs, if there are any.
    """
    start = _taught(settings, data, seed, folder / "other") if settings.teacher != "none" else None
    folds = KFold(FOLDS, shuffle=True, random_state=seed).split(data.pairs)
    networks, numbers, similarities = [], [], []
    for number, (training, validation) in enumerate(islice(folds, settings.members)):
        own = seed * FOLDS + number
        network = deepcopy(start) if start else _new(settings, data, own)
        validation_pairs = [data.pairs[i] for i in validation]
        rated = RatedPairs(
            [data.pairs[i] for i in training],
            data.vectors,
            data.synonyms,
            settings.synonyms,
        )
        Trainer(
            network,
            settings.training.model_copy(update={"seed": own}),
            rated.examples,
            partial(rated_loss, network),
            partial(_quality, network, data, validation_pairs),
            folder / str(number),
        ).run()
        networks.append(network)
        similarities.append(_similarities(network, data, validation_pairs))
        numbers.append(validation)
    validation = np.concatenate(numbers)
    ratings = np.array([data.pairs[i].relatedness for i in validation])
    return SentenceModel(data.vectors, networks, validation, np.concatenate(similarities), ratings)


def _new(settings: ModelSettings, data: TrainingData, seed: int) -> SentenceNetwork:
    torch.manual_seed(seed)
    return SentenceNetwork(data.vectors, settings.network)


def _taught(
    settings: ModelSettings, data: TrainingData, seed: int, checkpoint: Path
) -> SentenceNetwork:
    """A network that has learned how related the teacher finds sentences."""
    network = _new(settings, data, seed)
    known = sentences(data.pairs)
    teacher: Teacher | None = data.encoder
    if settings.teacher == "words":
        teacher = sum_of_words(data.vectors, rarity(data.vectors, known))
    if teacher is None:
        raise InputError("A teacher that is an encoder needs one; name its folder (--encoder).")
    taught = TaughtPairs([*known, *data.augmented], data.pairs, data.vectors, teacher)
    Trainer(
        network,
        settings.pretraining.model_copy(update={"seed": seed}),
        taught.examples,
        partial(taught.loss, network),
        partial(_quality, network, data, data.pairs),
        checkpoint,
    ).run()
    return network


def _similarities(
    network: SentenceNetwork, data: TrainingData, pairs: Sequence[Pair]
) -> npt.NDArray[np.float32]:
    """g of pairs: [n]."""
    one, other = (
        torch.from_numpy(network.encode([data.vectors.ids(words(s)) for s in side]))
        for side in ([pair.one for pair in pairs], [pair.other for pair in pairs])
    )
    with torch.no_grad():
        return network.similarity(one, other).numpy()


def _quality(network: SentenceNetwork, data: TrainingData, pairs: Sequence[Pair]) -> float:
    """Pearson r of g."""
    found = _similarities(network, data, pairs)
    return float(pearsonr(found, [pair.relatedness for pair in pairs]).statistic)
