"""`ticketing simulate`: what labels and feedback would be worth, by the desk's own archive."""

from datetime import datetime
from pathlib import Path

import click

from ticketing.cli.model_settings import read_settings
from ticketing.cli.options import DATE, FILE
from ticketing.cli.samples import measured_labels, why_not
from ticketing.desk import Desk, open_desk
from ticketing.errors import InputError
from ticketing.evaluation.measurement import NO_YES
from ticketing.evaluation.metrics import with_answers
from ticketing.experiments.cache import TrainingCache
from ticketing.experiments.gupta2018.curves import (
    feedback_page,
    feedback_text,
    label_page,
    label_text,
)
from ticketing.experiments.gupta2018.feedback import FeedbackSimulation, spans
from ticketing.experiments.gupta2018.label_curve import LOSSES, LabelCurve, read_counts
from ticketing.files import write_atomically
from ticketing.labels import is_test
from ticketing.settings import load_settings
from ticketing.tickets import Filters

SETTINGS = click.option("--settings", "file", type=FILE, help="TOML for the trainings.")
OVERRIDES = click.option(
    "--set", "overrides", multiple=True, metavar="NAME=VALUE", help="Likewise."
)
PAGE = click.option("--page", type=FILE, help="Also write a page with the curve and the tables.")


@click.group()
def command() -> None:
    """What labels and feedback would be worth: trains on parts of what the desk has.

    What is trained is kept in TICKETING_HOME/evaluation and never serves; a run that was
    broken off goes on, and a second one only prints.
    """


@command.command("labels")
@click.option("--labels", "counts", default="0,50,100,200,421,all", show_default=True)
@click.option("--loss", "losses", multiple=True, type=click.Choice(list(LOSSES)), help="Only this.")
@click.option("--since", type=DATE, help="Measure on tickets from this date on, learn before it.")
@click.option("--before", type=DATE, help="Measure only on tickets created before this date.")
@click.option("--demo", is_flag=True, help="The demonstration base's 28 end-user queries.")
@SETTINGS
@OVERRIDES
@PAGE
def labels_command(
    counts: str,
    losses: tuple[str, ...],
    since: datetime | None,
    before: datetime | None,
    demo: bool,
    file: Path | None,
    overrides: tuple[str, ...],
    page: Path | None,
) -> None:
    """Draw the ranking's quality against the number of labelled pairs learned from.

    Without dates the queries are the held-out ones, which no training has seen.
    """
    if before and not since:
        raise InputError("--before needs --since, the date that the labels to learn from end at.")
    desk = open_desk(load_settings())
    asked = measured_labels(desk, desk.labels(), since, before, demo)
    labels = with_answers(asked)
    if reason := why_not(desk, asked) or ("" if labels else NO_YES):
        click.echo(reason)
        return
    learned = desk.training_labels(since)
    tickets = list(desk.store.iter_tickets())
    trainings, trainer = _trainings(desk, len(tickets))
    settings = {
        loss: read_settings(file, (*overrides, f"training.loss={loss}"))
        for loss in losses or LOSSES
    }
    curve = LabelCurve(
        trainings,
        tickets,
        labels,
        learned,
        f"before {since}",
        settings,
        train=lambda network, training, some: trainer.train(network, training, since, labels=some),
        threads=desk.settings.threads,
    )
    points = curve.points(read_counts(counts, len(learned)))
    words = curve.words(desk.store)
    for line in label_text(points, words):
        click.echo(line)
    if page:
        write_atomically(page, label_page(points, words, desk.notice))
        click.echo(f"The page is {page}.")


@command.command("feedback")
@click.option("--since", type=DATE, required=True, help="The first month begins on this date.")
@click.option("--before", type=DATE, required=True, help="The last month ends before this date.")
@click.option("--queries", default=100, show_default=True, help="Queries judged in a month.")
@SETTINGS
@OVERRIDES
@PAGE
def feedback_command(
    since: datetime,
    before: datetime,
    queries: int,
    file: Path | None,
    overrides: tuple[str, ...],
    page: Path | None,
) -> None:
    """Draw what a desk gains that judges its ten best proposals and retrains every month.

    The archive's own labels of queries that are tickets play the judge; training sees the
    judgments of what was shown, and nothing else of them. Measured on the month after.
    """
    desk = open_desk(load_settings())
    within = Filters(created_since=since)
    asked = {ticket.id for ticket in desk.store.iter_tickets(within)}
    links = [label for label in desk.labels() if label.query.ticket_id in asked]
    months = spans(since, before)
    if not months:
        raise InputError(f"There is no whole month between {since:%Y-%m-%d} and {before:%Y-%m-%d}.")
    if not links:
        raise InputError(
            f"No query with a label is a ticket created since {since:%Y-%m-%d}; import links "
            "between tickets with `ticketing labels import --query COLUMN`."
        )
    trainings, trainer = _trainings(desk, desk.store.count_tickets())
    simulation = FeedbackSimulation(
        trainings,
        desk.store,
        links,
        *read_settings(file, overrides),
        train=lambda network, training, end, some: trainer.train(
            network, training, end, labels=some
        ),
        is_test=is_test,
        queries_a_month=queries,
        threads=desk.settings.threads,
    )
    found = simulation.months(months)
    for line in feedback_text(found):
        click.echo(line)
    if page:
        write_atomically(page, feedback_page(found, desk.notice))
        click.echo(f"The page is {page}.")


def _trainings(desk: Desk, tickets: int) -> tuple[TrainingCache, Desk]:
    """Where the trainings are kept, and a desk that saves its bundles there."""
    trainings = TrainingCache(desk.settings.home / "evaluation", tickets, click.echo)
    return trainings, Desk(desk.settings, desk.store, trainings.models)
