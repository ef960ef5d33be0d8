"""`ticketing train`: a new bundle from the desk's tickets and judgments."""

from datetime import datetime
from pathlib import Path

import click

from ticketing.cli.model_settings import choose_settings, read_settings
from ticketing.cli.options import DATE, FILE
from ticketing.desk import open_desk
from ticketing.settings import load_settings


@click.command()
@choose_settings
@click.option("--before", type=DATE, help="Learn only from tickets created before this date.")
@click.option("--vectors", type=FILE, help="Begin with these word2vec, GloVe or fastText vectors.")
def command(
    file: Path | None, overrides: tuple[str, ...], before: datetime | None, vectors: Path | None
) -> None:
    """Train a network on the desk's tickets and judgments.

    It is written as a bundle and does not serve yet: `ticketing reindex` encodes the
    tickets under it, compares it with the serving one and lets the better one serve.
    An interrupted training goes on where it stopped when it is started again.
    """
    network, training = read_settings(file, overrides)
    bundle_id = open_desk(load_settings()).train(network, training, before, vectors)
    click.echo(f"Bundle {bundle_id} is trained; `ticketing reindex` encodes the tickets under it.")
