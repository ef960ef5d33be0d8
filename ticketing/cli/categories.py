"""`ticketing categories`: train the subject normaliser, ask it, and measure its recipe."""

import hashlib
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import click
from pydantic import ValidationError

from ticketing.classification.augmentation import filler_words
from ticketing.classification.normaliser import Normaliser
from ticketing.classification.synonyms import Synonyms, read_synonyms
from ticketing.classification.taxonomy import read_taxonomy, tickets_taxonomy
from ticketing.classification.training import TrainSettings
from ticketing.cli.model_settings import toml_value
from ticketing.cli.options import FILE
from ticketing.desk import open_desk
from ticketing.errors import InputError
from ticketing.experiments.neculoiu2016.table3 import (
    COLUMNS,
    PUBLISHED,
    STAGES,
    JobTitles,
    Row,
    baseline_rows,
    model_rows,
)
from ticketing.settings import load_settings

_SYNONYMS = click.option(
    "--synonyms", "synonyms_file", type=FILE, help="A table of columns word and synonym."
)
_SET = click.option(
    "--set", "overrides", multiple=True, metavar="NAME=VALUE", help="As loop.epochs=2."
)


@click.group("categories")
def command() -> None:
    """Propose one of the desk's own categories for a subject."""


@command.command("train")
@click.option("--titles", type=FILE, help="A table of columns label and group, not the tickets.")
@_SYNONYMS
@_SET
@click.option("--continue", "go_on", is_flag=True, help="Begin with the present model.")
def train(
    titles: Path | None, synonyms_file: Path | None, overrides: tuple[str, ...], go_on: bool
) -> None:
    """Learn categories from the tickets' subjects and products, and from answers in the page.

    The model serves at once. An interrupted training goes on where it stopped.
    """
    settings = read_settings(overrides)
    home = load_settings().home
    if titles:
        taxonomy, descriptions = read_taxonomy(titles), []
    else:
        tickets = list(open_desk(load_settings()).store.iter_tickets())
        taxonomy = tickets_taxonomy(tickets)
        descriptions = [ticket.description for ticket in tickets]
    given = read_synonyms(synonyms_file) if synonyms_file else Synonyms(())
    words = filler_words(taxonomy.texts, descriptions)
    click.echo(f"{len(taxonomy.texts)} titles in {len(taxonomy.groups)} categories.")
    found, reference = Normaliser(home).train(taxonomy, words, given, settings, go_on)
    click.echo(
        f"Of held-out titles {found:.0%} find their category ({reference:.0%} by matching n-grams)."
    )


@command.command("suggest")
@click.argument("subject")
@click.option("--limit", default=3, show_default=True, type=click.IntRange(1, 100))
def suggest(subject: str, limit: int) -> None:
    """The likeliest categories of SUBJECT, with the known title that speaks for each."""
    proposed = Normaliser(load_settings().home).suggest(subject, limit)
    for item in proposed:
        click.echo(f"{item.score:5.2f}  {item.group}  (as {item.title!r})")
    if not proposed:
        click.echo("No category is near enough.")


@command.command("evaluate")
@click.argument("folder", type=FILE)
@click.option("--part", default="test", type=click.Choice(["test", "validation"]))
@click.option(
    "--stage",
    "stages",
    multiple=True,
    default=STAGES,
    type=click.IntRange(STAGES[0], STAGES[-1]),
    help="Only these models, each begun with the one before (default: all).",
)
@_SYNONYMS
@_SET
def evaluate(
    folder: Path,
    part: str,
    stages: tuple[int, ...],
    synonyms_file: Path | None,
    overrides: tuple[str, ...],
) -> None:
    """Measure the recipe on the job titles in FOLDER, ESCO's and O*NET's.

    It is Table 3 of Neculoiu et al. (2016), and O*NET's titles searched among ESCO's.

    Each stage's model is kept below the desk's home: a second run only measures, and an
    interrupted one resumes. Choose settings by `--part validation` alone.
    """
    settings = read_settings(overrides)
    given = read_synonyms(synonyms_file) if synonyms_file else Synonyms(())
    data = JobTitles(folder, given, settings.loop.seed)
    click.echo(
        f"{len(data.parts.kept.texts)} labels of {len(data.parts.kept.groups)} occupations, "
        f"{len(data.synonyms)} pairs of synonyms. Hits; * misses the published figure beside it."
    )
    click.echo(_line("", COLUMNS, "seconds"))
    stages = tuple(sorted(set(stages)))
    told = [
        settings.model_dump_json(),
        str(stages),
        str(len(data.synonyms)),
        *data.parts.kept.texts,
    ]
    place = load_settings().home / "categories" / "evaluation"
    place /= hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]
    rows = chain(baseline_rows(data, part), model_rows(data, settings, place, part, stages))
    for row in rows:
        click.echo(_line(row.name, _figures(row), f"{row.seconds:.0f}" if row.seconds else ""))


def _figures(row: Row) -> list[str]:
    published = PUBLISHED.get(row.name, ())
    cells = []
    for i, figure in enumerate(row.figures):
        beside = published[i] if i < len(published) else None
        mark = "*" if beside is not None and round(figure, 2) < beside else ""
        shown = f"{figure:.2f}" if i < len(COLUMNS) - 1 else f"{figure:.3f}"
        cells.append(f"{shown}{mark}" + (f" ({beside:.2f})" if beside is not None else ""))
    return cells


def _line(name: str, cells: Sequence[str], last: str) -> str:
    return (f"{name:12}" + "".join(f"{cell:>14}" for cell in cells) + f"{last:>10}").rstrip()


def read_settings(overrides: Sequence[str]) -> TrainSettings:
    """Settings with NAME=VALUE overrides such as network.encoder.layers=4.

    Raises InputError naming the override that cannot be.
    """
    values = TrainSettings().model_dump()
    for override in overrides:
        name, equals, text = override.partition("=")
        *tables, last = name.split(".")
        table = values
        for part in tables:
            table = table.get(part) if isinstance(table, dict) else None
        if not equals or not isinstance(table, dict) or last not in table:
            raise InputError(f"--set {override}: there is no such setting; write loop.epochs=2.")
        table[last] = toml_value(text)
    try:
        return TrainSettings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"--set {where}={first['input']!r}: {first['msg']}.") from None
