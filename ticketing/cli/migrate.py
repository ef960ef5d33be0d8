"""`ticketing migrate`: move house."""

from contextlib import closing

import click

from ticketing.cli.bars import Bars
from ticketing.desk.models import Models
from ticketing.desk.vectors import Vectors
from ticketing.errors import InputError
from ticketing.plurals import counted
from ticketing.settings import load_settings
from ticketing.stores import open_store
from ticketing.stores.migration import copy_all, require_equal


@click.command()
@click.argument("source")
@click.argument("target")
def command(source: str, target: str) -> None:
    """Copy everything from the store SOURCE to the store TARGET and compare both.

    A store is sqlite:///FOLDER or http(s)://HOST:9200. Bundles go with it. Interrupted, run it
    again: it goes on where it stopped. Let nobody work meanwhile.
    """
    if source == target:
        raise InputError("Source and target are the same store; name two.")
    settings = load_settings()
    with (
        closing(open_store(settings.model_copy(update={"store": source}))) as old,
        closing(open_store(settings.model_copy(update={"store": target}))) as new,
    ):
        models = Models(settings.home / "models", old)
        models.share_all()
        vectors = Vectors(models)
        with Bars() as bars:
            copy_all(old, new, vectors, bars)
        with Bars() as bars:
            require_equal(old, new, bars)
        tickets = counted(new.count_tickets(), "ticket")
        click.echo(f"{tickets} and all that belongs to them are equal in both.")
