"""`ticketing experiments gupta2018 labels`: the ranking's quality by the number of labels."""

from datetime import datetime
from pathlib import Path

import click

from ticketing.cli.measuring import choose_queries
from ticketing.cli.model_settings import choose_settings, read_settings
from ticketing.cli.options import TARGET
from ticketing.cli.printing import say
from ticketing.desk import open_desk
from ticketing.desk.measuring import measured_labels, why_not
from ticketing.errors import InputError
from ticketing.evaluation.measurement import NO_YES
from ticketing.evaluation.metrics import with_answers
from ticketing.experiments.cache import open_cache
from ticketing.experiments.gupta2018.curves import label_page, label_text
from ticketing.experiments.gupta2018.figures import label_figures, write_figures
from ticketing.experiments.gupta2018.label_curve import LOSSES, LabelCurve, read_counts
from ticketing.files import write_atomically
from ticketing.settings import load_settings


@click.command("labels")
@click.option(
    "--labels",
    "counts",
    default="0,50,100,200,421,all",
    show_default=True,
    help="Numbers of labelled pairs to learn from, separated by commas; one training for each.",
)
@click.option(
    "--loss",
    "losses",
    multiple=True,
    type=click.Choice(list(LOSSES)),
    help="Only this loss; repeatable (default: all).",
)
@choose_queries
@choose_settings
@click.option("--page", type=TARGET, help="Also write a page with the curve and the tables.")
@click.option("--json", "figures", type=TARGET, help="Also write the curve's figures as JSON.")
def command(
    counts: str,
    losses: tuple[str, ...],
    since: datetime | None,
    before: datetime | None,
    demo: bool,
    file: Path | None,
    overrides: tuple[str, ...],
    page: Path | None,
    figures: Path | None,
) -> None:
    """Measure how good the ranking is after learning from different numbers of labelled pairs.

    Without dates the test queries are measured, which no training has seen. With dates the labels
    to learn from are older than the measured queries. Every row says whether time counts in it;
    with --set training.recency=false it counts in none.
    """
    if before and not since:
        raise InputError("--before needs --since, the date that the labels to learn from end at.")
    desk = open_desk(load_settings())
    measured = measured_labels(desk, desk.labels(), since, before, demo)
    labels = with_answers(measured)
    reason = why_not(desk, measured, since, before) or ("" if labels else NO_YES)
    if reason:
        say(reason)
        return
    learned = desk.training_labels(since)
    trainings, trainer = open_cache(desk, say)
    settings = {
        loss: read_settings(file, (*overrides, f"training.loss={loss}"))
        for loss in losses or LOSSES
    }
    curve = LabelCurve(
        trainings,
        list(desk.store.iter_tickets()),
        labels,
        learned,
        f"before {since}",
        settings,
        train=lambda network, training, some: trainer.train(network, training, since, labels=some),
        threads=desk.settings.threads,
    )
    points = curve.points(read_counts(counts, len(learned)))
    words = curve.words()
    for line in label_text(points, words):
        say(line)
    if page:
        write_atomically(page, label_page(points, words, desk.notice))
        say(f"The page is {page}.")
    if figures:
        write_figures(figures, label_figures(points, words))
        say(f"The figures are in {figures}.")
