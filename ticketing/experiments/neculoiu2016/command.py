"""`ticketing experiments neculoiu2016`: Table 3 on public job titles."""

from importlib.metadata import version
from itertools import chain
from pathlib import Path

import click

from ticketing.classification.synonyms import Synonyms, read_synonyms
from ticketing.cli.model_settings import read_category_settings
from ticketing.cli.options import FILE, SYNONYMS, choose_overrides
from ticketing.cli.printing import say
from ticketing.evaluation.text_table import row_text
from ticketing.experiments.cache import digest
from ticketing.experiments.neculoiu2016.table3 import (
    COLUMNS,
    PUBLISHED,
    PUBLISHED_NGRAMS,
    STAGES,
    JobTitles,
    Row,
    baseline_rows,
    model_rows,
)
from ticketing.settings import load_settings

WIDTHS = (25, *(12 for _ in COLUMNS), 7)


@click.command("neculoiu2016")
@click.argument("folder", type=FILE)
@click.option(
    "--part",
    default="test",
    type=click.Choice(["test", "validation"]),
    show_default=True,
    help="Part of the titles to measure on.",
)
@click.option(
    "--stage",
    "stages",
    multiple=True,
    default=STAGES,
    type=click.IntRange(STAGES[0], STAGES[-1]),
    help="Only these stages, each starting with the weights of the one before (default: all).",
)
@SYNONYMS
@choose_overrides("loop.epochs=2")
def command(
    folder: Path,
    part: str,
    stages: tuple[int, ...],
    synonyms_file: Path | None,
    overrides: tuple[str, ...],
) -> None:
    """Learning Text Similarity with Siamese Recurrent Networks (Neculoiu and others 2016).

    Measure Table 3 on ESCO's job titles, and a search of O*NET's titles among them. FOLDER holds
    the files of both.

    Each stage's model is kept in the desk's home: a second run only measures, and an interrupted
    one continues. Choose settings by the figures of `--part validation`, not of the test titles.
    """
    settings = read_category_settings(overrides)
    given = read_synonyms(synonyms_file) if synonyms_file else Synonyms(())
    data = JobTitles(folder, given, settings.loop.seed)
    known = data.parts.training
    say(
        f"{len(known.texts)} labels of {len(known.groups)} occupations, "
        f"{len(data.synonyms)} pairs of synonyms. Hits; * misses the published figure beside it."
    )
    say(row_text(["", *COLUMNS, "seconds"], WIDTHS))
    say(row_text(["n-gram matcher, published", *PUBLISHED_NGRAMS, "", ""], WIDTHS))
    stages = tuple(sorted(set(stages)))
    place = load_settings().home / "categories" / "evaluation"
    place /= digest(version("ticketing"), settings.model_dump_json(), str(stages), data.digest)
    rows = chain(baseline_rows(data, part), model_rows(data, settings, place, part, stages))
    for row in rows:
        seconds = f"{row.seconds:.0f}" if row.seconds else ""
        say(row_text([row.name, *shown(row), seconds], WIDTHS))


def shown(row: Row) -> list[str]:
    """A row's figures, each with the published one where there is one; * marks a lower one."""
    published = PUBLISHED.get(row.name, ())
    cells = []
    for i, figure in enumerate(row.figures):
        beside = published[i] if i < len(published) else None
        mark = "*" if beside is not None and round(figure, 2) < beside else ""
        text = f"{figure:.2f}" if i < len(COLUMNS) - 1 else f"{figure:.3f}"
        cells.append(f"{text}{mark}" + (f" ({beside:.2f})" if beside is not None else ""))
    return cells
