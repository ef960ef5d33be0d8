"""`ticketing migrate`: move house."""

from contextlib import closing
from pathlib import Path

import click

from ticketing.cli.bars import Bars
from ticketing.cli.printing import say
from ticketing.desk.models import Models
from ticketing.desk.restore import require_restored
from ticketing.desk.vectors import Vectors
from ticketing.errors import InputError
from ticketing.plurals import counted
from ticketing.settings import FOLDER, Settings, folder_of, load_settings
from ticketing.stores import open_store
from ticketing.stores.migration import copy_all, require_equal, require_no_other
from ticketing.stores.sqlite.database import DATABASE


@click.command()
@click.argument("source")
@click.argument("target")
def command(source: str, target: str) -> None:
    """Copy everything from the store SOURCE to the store TARGET and compare both.

    A store is sqlite:///FOLDER or http(s)://HOST:9200. Bundles are copied, too. Nobody may use the
    desk meanwhile. If the copy is interrupted, run it again: it continues where it stopped.
    """
    if _place(source) == _place(target):
        raise InputError("Source and target are the same store; name two.")
    _require_folders(source, target)
    settings = load_settings()
    home = _home(source, settings)
    require_restored(home)
    with (
        closing(open_store(settings.model_copy(update={"store": source}))) as old,
        closing(open_store(settings.model_copy(update={"store": target}))) as new,
    ):
        require_no_other(old, new)
        models = Models(home / "models", old)
        if source.startswith(FOLDER) or source == settings.store:
            models.share_all()  # else the home is another desk's
        vectors = Vectors(models)
        with Bars() as bars:
            copy_all(old, new, vectors, bars)
        with Bars() as bars:
            require_equal(old, new, bars)
        tickets = counted(new.count_tickets(), "ticket")
        say(f"{tickets} and all that belongs to them are equal in both.")


def _home(source: str, settings: Settings) -> Path:
    """The home of the desk whose store is the source. For another desk's store on servers it is the
    home of the settings, from which nothing is copied."""
    serves = settings.store or f"{FOLDER}{settings.home}"
    if source.startswith(FOLDER) and _place(source) != _place(serves):
        return folder_of(source)
    return settings.home


def _place(address: str) -> str | Path:
    """The place of an address in normal form, since a folder may be written in many ways."""
    return folder_of(address).resolve() if address.startswith(FOLDER) else address


def _require_folders(source: str, target: str) -> None:
    """Raises InputError for SQLite without a folder, and for a source that holds no desk."""
    if FOLDER in (source, target):
        raise InputError(f"{FOLDER} names no folder; write one behind it, as {FOLDER}/srv/desk.")
    if source.startswith(FOLDER) and not (folder_of(source) / DATABASE).exists():
        raise InputError(f"{source} holds no desk, as it has no {DATABASE}; name another source.")
