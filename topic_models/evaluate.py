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
from tqdm import tqdm

from topic_models.datasets import Dataset, Part, read_dataset
from topic_models.docnade import DocNADE
from topic_models.errors import TopicModelError
from topic_models.lda import LDA
from topic_models.protocol import TopicModel, mean_perplexity
from topic_models.readings import READINGS, Reading, log_orders
from topic_models.retrieval import retrieval_precision
from topic_models.training import Progress

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
"""One set for all folders. Of GRID's choices for DocNADE's tree it has the lowest geometric mean
of validation perplexities over 20NSshort, TREC6 and TMNtitle."""

GRID = {
    DocNADE: {"dropout": (0.0, 0.5), "weight_decay": (0.0, 1.0)},
    LDA: {"alpha": (0.005, 0.25), "topics": (50, 200)},
}
"""What `--grid` chooses by folder and reading."""


class Figures(NamedTuple):
    """Perplexity, and retrieval precision at 0.02."""

    perplexity: float
    precision: float


@dataclass(frozen=True)
class Table:
    """A data set read in one way, and the models to train on it: a row of candidates a kind."""

    name: str
    reading: Reading
    dataset: Dataset
    rows: dict[str, list[TopicModel]]

    @property
    def words(self) -> int:
        """Words that a model reads in an epoch."""
        return sum(map(len, self.dataset.training.documents))

    @property
    def work(self) -> int:
        """Words that all models read if none stops early."""
        models = [model for row in self.rows.values() for model in row]
        return self.words * sum(model.settings.epochs for model in models)


@dataclass(frozen=True)
class Trained:
    """A model, its figures on the validation part, seconds of training."""

    model: TopicModel
    validation: Figures
    seconds: float


def _listed(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())


def _choices(grid: dict[str, tuple]) -> str:
    return ", ".join(f"{name} {' or '.join(map(str, values))}" for name, values in grid.items())


HELP = f"""Perplexity and retrieval precision at 0.02 on folders of labelled documents.

DocNADE is trained with {_listed(SETTINGS[DocNADE])} on every folder, LDA with
{_listed(SETTINGS[LDA])}; the rest is as the models have it. With --grid the validation part of
each folder chooses among, for DocNADE, {_choices(GRID[DocNADE])}, and for LDA,
{_choices(GRID[LDA])}. A star marks a figure that misses the published one.
"""


@click.command(help=HELP)
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
    """See HELP."""
    try:
        tables = [
            _table(name, dataset, kinds or tuple(KINDS), topics, grid, seed)
            for dataset in [read_dataset(folder, seed) for folder in folders]
            for name in readings
        ]
        work = sum(table.work for table in tables)
        with tqdm(total=work, unit=" words", unit_scale=True, leave=False) as bar:
            for table in tables:
                for line in _lines(table, bar):
                    bar.write(line)
    except TopicModelError as error:
        click.echo(f"evaluate: {error}", err=True)
        sys.exit(1)


def _table(
    name: str, dataset: Dataset, kinds: tuple[str, ...], topics: int, grid: bool, seed: int
) -> Table:
    """A data set in the reading `name`, without rows where its files do not hold that reading."""
    reading = READINGS[name]
    if not reading.fits(dataset):
        return Table(name, reading, dataset, {})
    given = {"vocabulary_size": len(dataset.words), "topics": topics, "seed": seed}
    rows = {}
    for kind in kinds:
        model = LDA if kind == "LDA" else DocNADE
        fixed = (
            given | SETTINGS[model] | KINDS[kind] | (reading.settings if model is DocNADE else {})
        )
        varied = GRID[model] if grid else {}
        rows[kind] = [
            model(model.Settings(**fixed | dict(zip(varied, values, strict=True))))
            for values in product(*varied.values())
        ]
    return Table(name, reading, reading.read(dataset), rows)


def _lines(table: Table, bar: tqdm) -> Iterator[str]:
    """The table line by line, as its models are trained."""
    dataset = table.dataset
    counts = ", ".join(f"{len(part.labels):,} {name}" for name, part in dataset.parts.items())
    yield f"\n{dataset.name}: {counts} documents, {len(dataset.words):,} words"
    if dataset.note:
        yield f"({dataset.note})"
    yield f"{table.name}: {table.reading.description}"
    if not table.rows:
        yield "These files hold neither full counts nor text order."
        return
    yield _cells("", ["perplexity ", "published", "precision ", "published", "seconds"])
    for kind, models in table.rows.items():
        trained = []
        for model in models:
            bar.set_description(f"{dataset.name} {table.name} {kind}")
            trained.append(_train(model, table, bar))
            if len(models) > 1:
                yield _tried(trained[-1])
        yield _row(kind, trained, table)


def _train(model: TopicModel, table: Table, bar: tqdm) -> Trained:
    training, validation = table.dataset.training, table.dataset.validation
    before = bar.n

    def advance(progress: Progress) -> None:
        epochs = progress.epoch - 1 + progress.done / progress.total
        if progress.history:
            bar.set_postfix(validation=f"{progress.history[-1].validation:.0f}", refresh=False)
        bar.update(before + round(epochs * table.words) - bar.n)

    start = perf_counter()
    model.fit(training.documents, validation.documents, progress=advance)
    seconds = perf_counter() - start
    bar.update(before + model.settings.epochs * table.words - bar.n)
    figures = Figures(
        perplexity(model, validation, table.reading), precision(model, validation, training)
    )
    return Trained(model, figures, seconds)


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
    settings = trained.model.settings
    choice = _listed({name: getattr(settings, name) for name in GRID[type(trained.model)]})
    figures = [*_beside(trained.validation, None), f"{trained.seconds:.0f}"]
    return f"{_cells('  validation', figures)}  {choice}"


def _row(kind: str, trained: list[Trained], table: Table) -> str:
    """Test figures of the models with the best validation figures."""
    likeliest = min(trained, key=lambda each: each.validation.perplexity)
    nearest = max(trained, key=lambda each: each.validation.precision)
    dataset = table.dataset
    ours = Figures(
        perplexity(likeliest.model, dataset.test, table.reading),
        precision(nearest.model, dataset.test, dataset.training),
    )
    published = dict(zip(KINDS, PUBLISHED.get(dataset.name, []), strict=False)).get(kind)
    seconds = sum(each.seconds for each in trained)
    return _cells(kind, [*_beside(ours, published), f"{seconds:.0f}"])


def _beside(ours: Figures, published: tuple[float, float] | None) -> list[str]:
    """Our figures, starred where they miss the published ones beside them."""
    if published is None:
        return [f"{ours.perplexity:.1f} ", "", f"{ours.precision:.3f} ", ""]
    theirs = Figures(*published)
    stars = ["*", " "]
    perplexity = f"{ours.perplexity:.1f}{stars[ours.perplexity < theirs.perplexity]}"
    precision = f"{ours.precision:.3f}{stars[ours.precision > theirs.precision]}"
    return [perplexity, f"{theirs.perplexity}", precision, f"{theirs.precision:.2f}"]


def _cells(title: str, cells: list[str]) -> str:
    return f"{title:14}" + "".join(f"{cell:>12}" for cell in cells)


if __name__ == "__main__":
    command()
