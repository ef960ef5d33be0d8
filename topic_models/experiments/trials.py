"""What is trained on a data set for a table of figures, and what it scores."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from topic_models.docnade import DocNADE, DocNADESettings
from topic_models.experiments.datasets import Dataset, Part
from topic_models.experiments.readings import Reading, log_orders
from topic_models.experiments.retrieval import retrieval_precision
from topic_models.lda import LDA, LDASettings
from topic_models.protocol import TopicModel, mean_perplexity
from topic_models.training import Progress

FRACTION = 0.02
"""Share of the training documents that are retrieved for a query."""

KINDS: dict[str, dict[str, Any]] = {
    "DocNADE tree": {"output": "tree"},
    "iDocNADE tree": {"output": "tree", "bidirectional": True},
    "DocNADE full": {"output": "full"},
    "iDocNADE full": {"output": "full", "bidirectional": True},
    "LDA": {},
}

SETTINGS: dict[type[TopicModel], dict[str, Any]] = {
    DocNADE: {
        "dropout": 0.5,
        "averaged": True,
        "leaves": "similar",
        "batch_size": 64,
        "epochs": 60,
        "patience": 4,
    },
    LDA: {"epochs": 40, "patience": 4},
}
"""What is the same for all folders."""

CHOICES: dict[type[TopicModel], dict[str, tuple[Any, ...]]] = {
    DocNADE: {"weight_decay": (0.2, 1.0)},
    LDA: {},
}
"""What each folder's validation part chooses from: little decay for likelihood, much of it for
retrieval."""

GRID: dict[type[TopicModel], dict[str, tuple[Any, ...]]] = {
    DocNADE: {"dropout": (0.0, 0.5), "weight_decay": (0.0, 0.2, 1.0)},
    LDA: {"alpha": (0.005, 0.25), "topics": (50, 200)},
}
"""What `--grid` lets it choose from; a number of topics that is said is none of it."""

TOPICS = 200
"""Where no number is said."""


class Figures(NamedTuple):
    """Perplexity, and retrieval precision at 0.02."""

    perplexity: float
    precision: float


@dataclass(frozen=True)
class Trial:
    """Models of a kind to choose from for a data set that is read in one way; `varied` are the
    settings in which they differ."""

    kind: str
    reading: Reading
    dataset: Dataset
    models: tuple[TopicModel, ...]
    varied: tuple[str, ...]

    @property
    def words(self) -> int:
        """Words that a model reads in an epoch."""
        return sum(map(len, self.dataset.training.documents))

    @property
    def work(self) -> int:
        """Words that all models read if none stops early."""
        epochs: int = sum(model.settings.epochs for model in self.models)
        return self.words * epochs


@dataclass(frozen=True)
class Trained:
    """A model, its figures on the validation part, seconds of training."""

    model: TopicModel
    validation: Figures
    seconds: float


@dataclass(frozen=True)
class Result:
    """Test figures of the model with the lowest validation perplexity and of the one with the
    highest validation precision, which may be the same, and seconds of training all models."""

    likeliest: Figures
    nearest: Figures
    seconds: float


def trial(
    kind: str, reading: Reading, dataset: Dataset, topics: int | None, seed: int, grid: bool
) -> Trial:
    """The models of a kind that the validation part is to choose from, untrained."""
    model: type[TopicModel] = LDA if kind == "LDA" else DocNADE
    given = {"vocabulary_size": len(dataset.words), "topics": topics or TOPICS, "seed": seed}
    fixed = given | SETTINGS[model] | KINDS[kind] | (reading.settings if model is DocNADE else {})
    varied = dict((GRID if grid else CHOICES)[model])
    if topics:
        varied.pop("topics", None)
    models = [
        _untrained(kind, fixed | dict(zip(varied, values, strict=True)))
        for values in product(*varied.values())
    ]
    return Trial(kind, reading, dataset, tuple(models), tuple(varied))


def _untrained(kind: str, settings: dict[str, Any]) -> TopicModel:
    return LDA(LDASettings(**settings)) if kind == "LDA" else DocNADE(DocNADESettings(**settings))


def train(
    trial: Trial, progress: Callable[[int, Progress], None], checkpoints: Path | None = None
) -> Iterator[Trained]:
    """Train the models one after another; `progress` is told the number of the one at work.

    With `checkpoints`, a folder, what was interrupted goes on and what was done is not repeated.
    """
    training, validation = trial.dataset.training, trial.dataset.validation
    for number, model in enumerate(trial.models):
        start = perf_counter()
        model.fit(
            training.documents,
            validation.documents,
            progress=partial(progress, number),
            checkpoint=checkpoints and checkpoints / _file_name(trial, model),
        )
        seconds = perf_counter() - start
        yield Trained(model, figures_of(model, validation, trial), seconds)


def choose(trial: Trial, trained: Sequence[Trained]) -> Result:
    """What the models with the best validation figures score on the test part."""
    likeliest = min(trained, key=lambda each: each.validation.perplexity)
    nearest = max(trained, key=lambda each: each.validation.precision)
    seconds = sum(each.seconds for each in trained)
    test = trial.dataset.test
    return Result(
        figures_of(likeliest.model, test, trial), figures_of(nearest.model, test, trial), seconds
    )


def figures_of(model: TopicModel, part: Part, trial: Trial) -> Figures:
    """A trained model's perplexity and precision on a part of the trial's data set."""
    return Figures(
        perplexity(model, part, trial.reading), precision(model, part, trial.dataset.training)
    )


def perplexity(model: TopicModel, part: Part, reading: Reading) -> float:
    """Held-out perplexity of a part of a data set that is read this way.

    LDA knows no order: of documents in ascending order of ids it scores the set of words.
    """
    scores = model.log_likelihood(part.documents)
    if reading.sets or (reading.order == "id" and isinstance(model, LDA)):
        scores = scores + [log_orders(document) for document in part.documents]
    return mean_perplexity(scores, np.array([len(document) for document in part.documents]))


def precision(model: TopicModel, queries: Part, collection: Part) -> float:
    """Retrieval precision at 0.02 of the queries against the collection."""
    vectors = model.transform(collection.documents)
    mean = vectors.mean(axis=0)
    return retrieval_precision(
        model.transform(queries.documents) - mean,
        queries.labels,
        vectors - mean,
        collection.labels,
        FRACTION,
    )


def _file_name(trial: Trial, model: TopicModel) -> str:
    """One for each model of each data set and each way to read it; sets share log-counts'."""
    learned = replace(trial.reading, description="", sets=False)
    digest = hashlib.sha256(f"{learned} {model.settings}".encode()).hexdigest()[:8]
    return f"{trial.dataset.name} {trial.kind} {digest}.safetensors".replace(" ", "-")
