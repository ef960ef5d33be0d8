"""`ticketing experiments gupta2018 feedback`: what a desk gains that judges and retrains."""

from datetime import datetime
from pathlib import Path

import click

from ticketing.cli.model_settings import choose_settings, read_settings
from ticketing.cli.options import DATE, TARGET
from ticketing.cli.printing import say
from ticketing.desk import open_desk
from ticketing.errors import InputError
from ticketing.evaluation.ways import WITH_TIME, WITHOUT_TIME
from ticketing.experiments.cache import open_cache
from ticketing.experiments.gupta2018.curves import feedback_page, feedback_text
from ticketing.experiments.gupta2018.feedback import FeedbackSimulation, whole_months
from ticketing.experiments.gupta2018.figures import feedback_figures, write_figures
from ticketing.files import write_atomically
from ticketing.labels import is_test
from ticketing.settings import load_settings
from ticketing.tickets import Filters


@click.command("feedback")
@click.option("--since", type=DATE, required=True, help="The first month begins on this date.")
@click.option("--before", type=DATE, required=True, help="The last month ends before this date.")
@click.option(
    "--queries",
    default=100,
    show_default=True,
    type=click.IntRange(1),
    help="Number of queries judged per month.",
)
@choose_settings
@click.option("--page", type=TARGET, help="Also write a page with the curve and the tables.")
@click.option("--json", "figures", type=TARGET, help="Also write the curve's figures as JSON.")
def command(
    since: datetime,
    before: datetime,
    queries: int,
    file: Path | None,
    overrides: tuple[str, ...],
    page: Path | None,
    figures: Path | None,
) -> None:
    """Measure what a desk gains if it judges its ten best proposals and retrains every month.

    The judge is simulated by the archive's own labels of queries that are tickets. A training sees
    only the judgments of tickets that were shown. The bundle of a month is measured on the next
    month's queries. Time counts in all rows but BM25; with --set training.recency=false in none.
    """
    desk = open_desk(load_settings())
    recent = {ticket.id for ticket in desk.store.iter_tickets(Filters(created_since=since))}
    links = [label for label in desk.labels() if label.query.ticket_id in recent]
    months = whole_months(since, before)
    if not months:
        raise InputError(f"There is no whole month between {since:%Y-%m-%d} and {before:%Y-%m-%d}.")
    if not links:
        raise InputError(
            f"No query with a label is a ticket created since {since:%Y-%m-%d}; import links "
            "between tickets with `ticketing labels import --query COLUMN`."
        )
    trainings, trainer = open_cache(desk, say)
    network, training = read_settings(file, overrides)
    simulation = FeedbackSimulation(
        trainings,
        desk.store,
        links,
        network,
        training,
        train=lambda network, training, end, some: trainer.train(
            network, training, end, labels=some
        ),
        is_test=is_test,
        queries_a_month=queries,
        threads=desk.settings.threads,
    )
    found = simulation.run(months)
    say(f"Bundles rank {WITH_TIME if training.weighs_time else WITHOUT_TIME}, BM25 without.")
    for line in feedback_text(found):
        say(line)
    if page:
        write_atomically(page, feedback_page(found, desk.notice))
        say(f"The page is {page}.")
    if figures:
        write_figures(figures, feedback_figures(found))
        say(f"The figures are in {figures}.")
