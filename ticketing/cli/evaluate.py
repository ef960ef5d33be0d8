"""`ticketing evaluate`: how good is the ranking, beside BM25, and why."""

import click

from ticketing.cli.measuring import MeasuringOptions, choose_measuring, print_measurement
from ticketing.desk import open_desk
from ticketing.settings import load_settings


@click.command()
@choose_measuring
def command(measuring: MeasuringOptions) -> None:
    """Measure the ranking on labelled queries, beside its channels alone and BM25.

    Without dates the queries are those of the test judgments, which no training has seen. A
    query that is a ticket is matched only against tickets created before it.
    """
    print_measurement(open_desk(load_settings()), measuring)
