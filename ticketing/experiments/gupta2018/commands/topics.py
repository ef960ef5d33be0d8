"""`ticketing experiments gupta2018 topics`: how well topic models know the desk's tickets."""

import click

from ticketing.cli.printing import say
from ticketing.desk import open_desk
from ticketing.evaluation.text_table import table_text
from ticketing.experiments.gupta2018.table3 import TopicTable, split, topic_table
from ticketing.settings import load_settings

LABELS = {"M1": "M1 (SUB+DESC)", "M2": "M2 (SUB+DESC+SOL)"}


@click.command("topics")
@click.option(
    "--test",
    default=50,
    show_default=True,
    type=click.IntRange(1),
    help="Number of test tickets.",
)
@click.option(
    "--topics",
    default=100,
    show_default=True,
    type=click.IntRange(1),
    help="Number of topics.",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(0, 2**32 - 1),
    help="Seed of the choice of test tickets and of the models' initial weights.",
)
def command(test: int, topics: int, seed: int) -> None:
    """Measure the perplexity of DocNADE and LDA on tickets and labelled queries (lower is better).

    M1 learns from subjects and descriptions, M2 from solutions as well (Table 3 of Gupta et
    al. 2018). Nothing is stored, and the serving model is left alone.
    """
    desk = open_desk(load_settings())
    parts = split(list(desk.store.iter_tickets()), desk.labels(), test, seed)
    table = topic_table(parts, topics, seed)
    say(
        f"{len(parts.test)} tickets to test on, {table.learned} learned from, {table.words} words, "
        f"{topics} topics. Perplexity:"
    )
    for line in _text(table):
        say(line)
    if not parts.queries:
        say(
            "Queries cannot be measured: there are no labels. Judge results in the page, or "
            "import labels with `ticketing labels import`."
        )
    say("Figures compare within a column; those of other archives are not comparable.")


def _text(table: TopicTable) -> list[str]:
    rows = [
        ["", *(column.name for column in table.columns), "seconds"],
        ["texts", *(str(column.texts) for column in table.columns), ""],
        ["known words each", *(f"{column.words:.1f}" for column in table.columns), ""],
    ]
    for row in table.rows:
        figures = ["–" if value is None else f"{value:.0f}" for value in row.perplexities]
        rows.append([f"{LABELS[row.model]} {row.kind}", *figures, f"{row.seconds:.0f}"])
    return table_text(rows)
