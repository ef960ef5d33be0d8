"""`python -m topic_models.experiments FOLDER…`: DocNADE beside LDA, ours beside published.

Models are trained on the training part of a folder and stopped on its validation part. Each is
then scored on the test part by its perplexity, and by the share of training documents with the
query's label among the nearest 2 % by cosine (of vectors from which the training documents' mean
is subtracted). The validation part alone chooses: the model with the lowest perplexity on it has
the first figure, the one with the highest precision on it the second, as in the published work.
Several readings of a folder end in a table that has them side by side.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import click
from tqdm import tqdm

from topic_models.docnade import DocNADE
from topic_models.errors import TopicModelError
from topic_models.experiments.datasets import Dataset, read_dataset
from topic_models.experiments.readings import READINGS
from topic_models.experiments.tables import Published, heading, result_lines, side_by_side, tried
from topic_models.experiments.trials import (
    CHOICES,
    GRID,
    KINDS,
    SETTINGS,
    TOPICS,
    Result,
    Trial,
    choose,
    train,
    trial,
)
from topic_models.lda import LDA
from topic_models.training import Progress

PUBLISHED: dict[str, list[Published]] = {
    "20NSshort": [(894, 0.23), (880, 0.30), (646, 0.25), (639, 0.26)],
    "TREC6": [(42, 0.48), (39, 0.55), (64, 0.54), (61, 0.56)],
    "TMNtitle": [(863, 0.57), (823, 0.59), (711, 0.44), (670, 0.46)],
    "20news_v2000": [(830, 0.27), (812, 0.33), (474, 0.20), (463, 0.24)],
}
"""Perplexity and precision by folder, in the order of KINDS: 200 hidden units, Table 1 of Gupta
et al. 2018, "Document informed neural autoregressive topic models with distributional prior"."""


def _listed(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())


def _choices(grid: dict[str, tuple[Any, ...]]) -> str:
    return ", ".join(f"{name} {' or '.join(map(str, values))}" for name, values in grid.items())


HELP = f"""Perplexity and retrieval precision at 0.02 on folders of labelled documents.

DocNADE is trained with {_listed(SETTINGS[DocNADE])} on every folder, LDA with
{_listed(SETTINGS[LDA])}; the rest is as the models have it. The validation part of each folder
chooses for DocNADE between {_choices(CHOICES[DocNADE])}, by its perplexity and by its precision:
a model for each figure. With --grid it chooses among, for DocNADE, {_choices(GRID[DocNADE])},
and for LDA, {_choices(GRID[LDA])}. A star marks a figure that misses the published one.
"""


@click.command(help=HELP)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--topics",
    default=None,
    show_default=f"{TOPICS}, and with --grid LDA’s are chosen",
    type=click.IntRange(1),
    help="Topics (hidden units) of every model.",
)
@click.option("--model", "kinds", multiple=True, type=click.Choice(list(KINDS)), help="Only these.")
@click.option(
    "--reading",
    "readings",
    multiple=True,
    type=click.Choice([*READINGS, "all"]),
    default=["log-counts"],
    show_default=True,
    help="Counts, word order and vocabulary; several are also shown side by side.",
)
@click.option("--grid", is_flag=True, help="Choose from more settings.")
@click.option(
    "--checkpoints",
    type=click.Path(path_type=Path, file_okay=False),
    help="A folder to resume interrupted runs from; seconds are then those of the last one.",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(0, 2**32 - 1),
    help="Seed of every random choice.",
)
def command(
    folders: tuple[Path, ...],
    topics: int | None,
    kinds: tuple[str, ...],
    readings: tuple[str, ...],
    grid: bool,
    checkpoints: Path | None,
    seed: int,
) -> None:
    """See HELP."""
    names = list(READINGS) if "all" in readings else list(dict.fromkeys(readings))
    try:
        if checkpoints:
            checkpoints.mkdir(parents=True, exist_ok=True)
        tables = [
            (
                read_dataset(folder, seed),
                {name: planned_trials(name, folder, kinds, topics, seed, grid) for name in names},
            )
            for folder in folders
        ]
        work = sum(t.work for _, by in tables for trials in by.values() for t in trials)
        with tqdm(total=work, unit=" words", unit_scale=True, leave=False) as bar:
            for dataset, trials in tables:
                for line in evaluated_lines(dataset, trials, bar, checkpoints):
                    bar.write(line)
    except TopicModelError as error:
        sys.exit(f"evaluate: {error}")
    except OSError as error:
        sys.exit(f"evaluate: {error.filename} cannot be written ({error.strerror}).")


def planned_trials(
    name: str, folder: Path, kinds: tuple[str, ...], topics: int | None, seed: int, grid: bool
) -> list[Trial]:
    """What to train on a folder in the reading `name`: nothing where its files do not hold it."""
    reading = READINGS[name]
    if not reading.fits(folder):
        return []
    dataset = reading.read(folder, seed)
    return [trial(kind, reading, dataset, topics, seed, grid) for kind in kinds or KINDS]


def evaluated_lines(
    dataset: Dataset,
    by_reading: dict[str, list[Trial]],
    bar: "tqdm[NoReturn]",
    checkpoints: Path | None,
) -> Iterator[str]:
    """All that is to be said of a data set, line by line, as its models are trained."""
    published = dict(zip(KINDS, PUBLISHED.get(dataset.name, []), strict=False))
    yield f"\n{dataset.name}: {_counts(dataset)}"
    if dataset.note:
        yield f"({dataset.note})"
    results: dict[str, dict[str, Result]] = {}
    for name, trials in by_reading.items():
        yield f"\n{name}: {READINGS[name].description}"
        if not trials:
            yield "These files do not hold that."
            continue
        if READINGS[name].all_words:
            yield f"({_counts(trials[0].dataset)})"
        yield heading()
        results[name] = {}
        for each in trials:
            bar.set_description(f"{dataset.name} {name} {each.kind}")
            trained, start = [], bar.n
            for model in train(each, _follow(bar, each), checkpoints):
                trained.append(model)
                if len(each.models) > 1:
                    yield tried(model, each.varied)
            bar.update(start + each.work - bar.n)
            results[name][each.kind] = choose(each, trained)
            yield from result_lines(each.kind, results[name][each.kind], published.get(each.kind))
    if len(results) > 1:
        yield from side_by_side(dataset.name, results, published)


def _counts(dataset: Dataset) -> str:
    parts = ", ".join(f"{len(part.labels):,} {name}" for name, part in dataset.parts.items())
    return f"{parts} documents, {len(dataset.words):,} words"


def _follow(bar: "tqdm[NoReturn]", trial: Trial) -> Callable[[int, Progress], None]:
    """What moves the bar by the words that the trial's models read, and past early ends."""
    start = bar.n

    def follow(number: int, progress: Progress) -> None:
        before = sum(model.settings.epochs for model in trial.models[:number])
        epochs = before + progress.epoch - 1 + progress.done / progress.total
        if progress.history:
            bar.set_postfix(validation=f"{progress.history[-1].validation:.0f}", refresh=False)
        bar.update(start + round(epochs * trial.words) - bar.n)

    return follow
