"""`python -m topic_models.evaluate FOLDER…`: DocNADE beside LDA, ours beside published.

Each model is trained on the training part of a folder and stopped on its validation part; then
come its perplexity on the test part, and the share of training documents with a test document's
label among the nearest 2 % by cosine (of vectors from which the training documents' mean is
subtracted). What a model is trained with is chosen by validation figures alone: `--grid` trains
with every choice, prints its validation figures, and takes the best choice for perplexity and
the best for precision, each by its own figure, as the published work did.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import click
import numpy as np

from topic_models.datasets import Dataset, Part, read_dataset
from topic_models.docnade import DocNADE
from topic_models.errors import TopicModelError
from topic_models.lda import LDA
from topic_models.protocol import TopicModel, mean_perplexity
from topic_models.readings import READINGS, Reading, log_orders
from topic_models.retrieval import retrieval_precision
from topic_models.training import ProgressBar

FRACTION = 0.02
"""Share of the training documents that are retrieved for a test document."""

KINDS: dict[str, dict[str, Any]] = {
    "DocNADE tree": {"output": "tree"},
    "iDocNADE tree": {"output": "tree", "bidirectional": True},
    "DocNADE full": {"output": "full"},
    "iDocNADE full": {"output": "full", "bidirectional": True},
    "LDA": {},
}

PUBLISHED = {
    "20NSshort": [(894, 0.23), (880, 0.30), (646, 0.25), (639, 0.26)],
    "TREC6": [(42, 0.48), (39, 0.55), (64, 0.54), (61, 0.56)],
    "TMNtitle": [(863, 0.57), (823, 0.59), (711, 0.44), (670, 0.46)],
    "20news_v2000": [(830, 0.27), (812, 0.33), (474, 0.20), (463, 0.24)],
}
"""Perplexity and precision by folder, in the order of KINDS: 200 hidden units, Table 1 of Gupta
et al. 2018, "Document informed neural autoregressive topic models with distributional prior"."""

SETTINGS = {
    DocNADE: {"dropout": 0.5, "epochs": 40, "patience": 4},
    LDA: {"epochs": 40, "patience": 4},
}
"""Good on validation parts of all kinds; where `--grid` does not vary them."""

GRID = {
    DocNADE: {"dropout": (0.0, 0.5), "weight_decay": (0.0, 1.0)},
    LDA: {"eta": (0.01, 0.1), "topics": (50, 200)},
}


class Figures(NamedTuple):
    """Perplexity, and retrieval precision at 0.02."""

    perplexity: float
    precision: float


@dataclass(frozen=True)
class Trained:
    """A model, what was chosen for it, its figures on the validation part, seconds of training."""

    choice: dict[str, Any]
    model: TopicModel
    validation: Figures
    seconds: float


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--topics", default=200, show_default=True, help="Topics (hidden units).")
@click.option("--model", "kinds", multiple=True, type=click.Choice(list(KINDS)), help="Only these.")
@click.option(
    "--reading",
    "readings",
    multiple=True,
    type=click.Choice(list(READINGS)),
    default=["log-counts"],
    show_default=True,
    help="Counts and word order; may be repeated.",
)
@click.option("--grid", is_flag=True, help="Choose settings by validation figures.")
@click.option("--seed", default=0, show_default=True, help="Seed of every random choice.")
def command(
    folders: tuple[Path, ...],
    topics: int,
    kinds: tuple[str, ...],
    readings: tuple[str, ...],
    grid: bool,
    seed: int,
) -> None:
    """Perplexity and retrieval precision at 0.02 on folders of labelled documents."""
    try:
        for folder in folders:
            dataset = read_dataset(folder, seed)
            click.echo("\n".join(_heading(dataset)))
            for name in readings:
                _evaluate(dataset, name, kinds or tuple(KINDS), topics, grid, seed)
    except TopicModelError as error:
        click.echo(f"evaluate: {error}", err=True)
        sys.exit(1)


def _heading(dataset: Dataset) -> Iterator[str]:
    counts = ", ".join(f"{len(part.labels):,} {name}" for name, part in dataset.parts.items())
    yield f"\n{dataset.name}: {counts} documents, {len(dataset.words):,} words"
    if dataset.note:
        yield f"({dataset.note})"


def _evaluate(
    dataset: Dataset, name: str, kinds: tuple[str, ...], topics: int, grid: bool, seed: int
) -> None:
    """Print the table of one reading of a data set, a row a model."""
    reading = READINGS[name]
    if not reading.fits(dataset):
        click.echo(f"\n{name}: these files hold neither full counts nor text order.")
        return
    read = reading.read(dataset)
    click.echo(f"\n{name}: {reading.description}")
    click.echo(
        f"{'':14}{'perplexity':>11}{'published':>11}{'precision':>11}{'published':>11}{'seconds':>9}"
    )
    for kind in kinds:
        model = LDA if kind == "LDA" else DocNADE
        fixed = {"vocabulary_size": len(read.words), "topics": topics, "seed": seed, **KINDS[kind]}
        if model is DocNADE:
            fixed |= reading.settings
        trained = []
        for choice in _choices(model, grid):
            trained.append(_train(model, fixed | choice, choice, read, reading))
            if grid:
                click.echo(_tried(trained[-1]))
        click.echo(_row(kind, trained, read, reading))


def _choices(model: type[TopicModel], grid: bool) -> Iterator[dict[str, Any]]:
    """What to train with: every combination of the grid, or the settings alone."""
    varied = GRID[model] if grid else {}
    for values in product(*varied.values()):
        yield SETTINGS[model] | dict(zip(varied, values, strict=True))


def _train(
    model: type[TopicModel],
    settings: dict[str, Any],
    choice: dict[str, Any],
    read: Dataset,
    reading: Reading,
) -> Trained:
    start = perf_counter()
    bar = ProgressBar(model.__name__) if sys.stderr.isatty() else None
    fitted = model(model.Settings(**settings)).fit(
        read.training.documents, read.validation.documents, progress=bar
    )
    if bar:
        bar.close()
    seconds = perf_counter() - start
    figures = Figures(
        perplexity(fitted, read.validation, reading),
        precision(fitted, read.validation, read.training),
    )
    return Trained(choice, fitted, figures, seconds)


def perplexity(model: TopicModel, part: Part, reading: Reading) -> float:
    """Held-out perplexity of a part of a data set that is read this way.

    LDA knows no order: of documents in ascending order of ids it scores the set of words.
    """
    scores = model.log_likelihood(part.documents)
    if isinstance(model, LDA) and reading.order == "id":
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


def _tried(trained: Trained) -> str:
    choice = " ".join(f"{name}={value}" for name, value in trained.choice.items())
    perplexity, precision = trained.validation
    seconds = trained.seconds
    return f"  validation{perplexity:13.1f}{precision:22.3f}{seconds:20.0f}  {choice}"


def _row(kind: str, trained: list[Trained], read: Dataset, reading: Reading) -> str:
    """Test figures of the models with the best validation figures."""
    likeliest = min(trained, key=lambda each: each.validation.perplexity)
    nearest = max(trained, key=lambda each: each.validation.precision)
    ours = Figures(
        perplexity(likeliest.model, read.test, reading),
        precision(nearest.model, read.test, read.training),
    )
    published = dict(zip(KINDS, PUBLISHED.get(read.name, []), strict=False)).get(kind)
    theirs = (f"{published[0]}", f"{published[1]:.2f}") if published else ("", "")
    seconds = sum(each.seconds for each in trained)
    return (
        f"{kind:14}{ours.perplexity:11.1f}{theirs[0]:>11}{ours.precision:11.3f}{theirs[1]:>11}"
        f"{seconds:9.0f}"
    )


if __name__ == "__main__":
    command()
