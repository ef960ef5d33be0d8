"""`ticketing experiments malstm`: how related two sentences are, learned from SICK."""

import random
from pathlib import Path

import click
from tqdm import tqdm

from ticketing.cli.groups import Group
from ticketing.cli.options import FILE, TARGET
from ticketing.cli.printing import say
from ticketing.encoders.transformer import Transformer, transformer_folder
from ticketing.encoders.vector_cache import VectorCache
from ticketing.errors import InputError
from ticketing.evaluation.text_table import row_text
from ticketing.experiments.malstm.augmentation import augment
from ticketing.experiments.malstm.ensemble import MOST_SEED, TrainingData
from ticketing.experiments.malstm.model import SentenceModel
from ticketing.experiments.malstm.plots import render
from ticketing.experiments.malstm.relatedness import (
    PUBLISHED,
    PUBLISHED_ACCURACY,
    Line,
    find_model,
    lines,
    rows,
)
from ticketing.experiments.malstm.sick import Sick, read_sick, sentences, words
from ticketing.experiments.malstm.word_vectors import read_vectors
from ticketing.experiments.malstm.wordnet import FOLDER, read_synonyms
from ticketing.files import write_atomically
from ticketing.model.registry import Registry
from ticketing.settings import load_settings

VECTORS = Path("vectors") / "glove840B_300d_sick.npy"
WIDTHS = (34, *(6 for _ in range(9)), 7, 7)
AUGMENTED = 10_000
"""Sentences that a teacher compares beside the known ones."""


@click.group("malstm", cls=Group)
def command() -> None:
    """Relatedness of sentences by MaLSTM, a Siamese LSTM with a Manhattan metric."""


@command.command("evaluate")
@click.argument("folder", type=FILE)
@click.option(
    "--vectors", type=FILE, help=f"Word vectors (.npy); default: {VECTORS} beside FOLDER."
)
@click.option(
    "--wordnet",
    type=FILE,
    default=FOLDER,
    show_default=True,
    help="Folder of WordNet, for synonyms.",
)
@click.option(
    "--encoder",
    default="installed",
    show_default=True,
    help="Folder of a sentence encoder; 'installed' for that of the extra `teacher`, '' for none.",
)
@click.option(
    "--pictures",
    type=TARGET,
    help="Also write an HTML page that plots the last model's vectors of the test sentences.",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(0, MOST_SEED),
    help="Seed of the choice of synonyms and of the networks' initial weights.",
)
def evaluate(
    folder: Path,
    vectors: Path | None,
    wordnet: Path,
    encoder: str,
    pictures: Path | None,
    seed: int,
) -> None:
    """Measure Pearson r, Spearman rho and squared error on SICK's test pairs.

    FOLDER holds the data set SICK. The models learn from its train and trial pairs, and are kept in
    the home for the next run. The published figures are printed beside the measured ones. An
    interrupted run continues when it is started again.
    """
    data = read_sick(folder)
    training_data = _training_data(data, vectors or folder.parent / VECTORS, wordnet, encoder, seed)
    home = load_settings().home / "sentences"
    if training_data.encoder:
        texts = [*sentences([*data.training, *data.test]), *training_data.augmented]
        training_data.encoder.cache = VectorCache(home, training_data.encoder.digest)
        training_data.encoder.prepare(texts, "sentence encoder")
    chosen = rows("encoder" if training_data.encoder else "words")
    say(
        f"{len(data.training):,} pairs to learn from, {len(data.test):,} to test on, of which "
        f"{sum(data.repeated())} repeat one that was learned from ('new' leaves them out)."
    )
    say(
        "'valid' is of pairs that a network did not learn from; calibrated ratings do a little "
        "too well there, since their curve was fitted to these pairs. Rows with channels beside h "
        "leave each pair out in turn."
    )
    say("\n".join(header()))
    for line in lines(chosen, data, training_data, seed, home):
        tqdm.write(shown(line))
    if pictures:
        model, _ = find_model(chosen[-1].settings, training_data, seed, home)
        write_atomically(pictures, render(model, sentences(data.test)))
        say(f"Drawn in {pictures}.")
    say(f"Models are in {home / 'models'}.")


@command.command("relate")
@click.argument("model", type=FILE)
@click.argument("one")
@click.argument("other")
def relate(model: Path, one: str, other: str) -> None:
    """Print how related two sentences are (1 to 5), by MODEL, a folder that `evaluate` has kept."""
    for sentence in (one, other):
        if not words(sentence):
            raise InputError(f"{sentence!r} holds no word; give two sentences.")
    found = SentenceModel.load(Registry(model.parent), model.name)
    say(f"{found.calibrated(found.similarity([one], [other]))[0]:.2f}")


def _training_data(
    data: Sick, vectors: Path, wordnet: Path, encoder: str, seed: int
) -> TrainingData:
    known = read_vectors(vectors)
    folder = transformer_folder(encoder)
    if not wordnet.is_dir():
        say(f"There is no {wordnet}: without synonyms (install wordnet-base).", error=True)
    if folder is None:
        say(
            "Without a sentence encoder (run `pip install '.[teacher]'` in the checkout).",
            error=True,
        )
    return TrainingData(
        data.training,
        known,
        read_synonyms(wordnet, known.words) if wordnet.is_dir() else {},
        augment(sentences(data.training), known, AUGMENTED, random.Random(seed)),
        Transformer(folder) if folder else None,
    )


def header() -> list[str]:
    """The table's head, and the published figures."""
    three = ["r", "rho", "MSE"]
    blank = ["", "", ""]
    rows = [
        ["", "valid", "", "", "test", "", "", "new", "", "", "entail-", "seconds"],
        ["", *three, *three, *three, "ment %", ""],
    ]
    for (name, found), accuracy in zip(
        PUBLISHED.items(), (f"{PUBLISHED_ACCURACY:.1f}", ""), strict=True
    ):
        figures = [*blank, *map(_figure, found), *blank]
        rows.append([f"published: {name}", *figures, accuracy, ""])
    return [row_text(row, WIDTHS) for row in rows]


def shown(line: Line) -> str:
    """A line of the table."""
    found = [*line.validation, *line.test, *line.new]
    judged = "" if line.accuracy is None else f"{line.accuracy:.1f}"
    seconds = "" if line.seconds is None else f"{line.seconds:.0f}"
    return row_text([line.name, *map(_figure, found), judged, seconds], WIDTHS)


def _figure(value: float) -> str:
    return f"{value:.4f}"
