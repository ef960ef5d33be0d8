"""`ticketing train`: a new bundle from the desk's tickets and judgments, which serves then."""

from datetime import datetime
from pathlib import Path

import click

from ticketing.cli.model_settings import choose_settings, read_settings
from ticketing.cli.options import DATE, FILE
from ticketing.desk import open_desk
from ticketing.settings import load_settings
from worker.app import make_app
from worker.follow import encode_and_promote


@click.command("train")
@choose_settings
@click.option("--before", type=DATE, help="Learn only from tickets created before this date.")
@click.option("--vectors", type=FILE, help="Begin with these word2vec, GloVe or fastText vectors.")
@click.option("--no-promote", is_flag=True, help="Only write the bundle; let the old one serve.")
def command(
    file: Path | None,
    overrides: tuple[str, ...],
    before: datetime | None,
    vectors: Path | None,
    no_promote: bool,
) -> None:
    """Train a model on the desk's tickets and judgments, and let it serve.

    It is written as a bundle, every ticket is encoded under it, and it serves unless it loses
    to the serving one on the test queries. Interrupted, run it again: it goes on where it
    stopped.
    """
    network, training = read_settings(file, overrides)
    settings = load_settings()
    desk = open_desk(settings)
    bundle_id = desk.train(network, training, before, vectors)
    if no_promote:
        click.echo(f"Bundle {bundle_id} is trained; `ticketing reindex {bundle_id}` lets it serve.")
    else:
        encode_and_promote(desk, make_app(settings), bundle_id)
