"""`ticketing store`: the indices of a store on servers."""

from contextlib import closing
from typing import TYPE_CHECKING

import click

from ticketing.cli.actor import audit
from ticketing.cli.groups import Group
from ticketing.cli.printing import say
from ticketing.cli.waiting import shown_waiting
from ticketing.desk import Desk, open_desk
from ticketing.desk.leases import held
from ticketing.desk.restore import require_restored
from ticketing.errors import InputError, NotReady
from ticketing.history import Deed
from ticketing.plurals import counted
from ticketing.settings import Settings, load_settings

if TYPE_CHECKING:
    from ticketing.stores.elasticsearch.connection import Connection


@click.group("store", cls=Group)
def command() -> None:
    """Resize or recreate the indices of a store on servers, or choose an alias's index."""


@command.command()
@click.option(
    "--shards", type=click.IntRange(1), required=True, help="Number of shards of each index."
)
def resize(shards: int) -> None:
    """Change the number of shards of the indices of tickets and codes; people can search and judge.

    If the new number is a multiple of the old one, an index is split; otherwise it is copied.
    Imports and encoding wait during the split or the end of the copy; the command prints how long.
    If the command is interrupted, run it again.
    """
    settings = _of_servers()
    from ticketing.stores.elasticsearch.connection import Connection  # an optional part

    busy = "Another `ticketing store resize` is running on this store; wait for its end."
    with (
        closing(open_desk(settings)) as desk,
        closing(Connection(settings)) as connection,
        held(desk.whole, "resizing", or_raise=NotReady(busy)),
    ):
        _resize(desk, connection, shards)
    say(f"All indices of tickets and codes have {counted(shards, 'shard')}.")
    if settings.store_shards != shards:
        say(f"Set TICKETING_STORE_SHARDS={shards} for those to come.")


@command.command()
@click.argument("index")
def use(index: str) -> None:
    """Let the alias after which INDEX is named point to this index only."""
    settings = _of_servers()
    from ticketing.stores.elasticsearch.connection import Connection
    from ticketing.stores.elasticsearch.resizing import use

    with closing(Connection(settings)) as connection:
        alias = use(connection, index)
    say(f"{alias} leads to {index}.")
    with closing(open_desk(settings)) as desk:
        audit(desk, Deed.MENDED, f"index {alias}")


@command.command()
@click.argument("part")
def make(part: str) -> None:
    """Create the index PART (tickets, records or files) again, empty, after it was lost.

    First look for a snapshot or a backup to restore. Afterwards run `ticketing check --repair`,
    which deletes data that belongs to no ticket or bundle.
    """
    settings = _of_servers()
    from ticketing.stores.elasticsearch.connection import Connection
    from ticketing.stores.elasticsearch.opening import make_anew

    with closing(Connection(settings)) as connection:
        make_anew(connection, part)
    say(f"The {part} are there again, and empty; run `ticketing check --repair`.")
    with closing(open_desk(settings)) as desk:
        audit(desk, Deed.MENDED, f"part {part}")


def _resize(desk: Desk, connection: "Connection", shards: int) -> None:
    """Resize the indices that do not have this many shards, and print the result for each."""
    from ticketing.stores.elasticsearch.resizing import resize

    left = resize(connection, shards)
    while True:
        with shown_waiting("Resizing"):
            done = next(left, None)
        if not done:
            return
        audit(desk, Deed.RESIZED, f"index {done.alias}")
        say(
            f"{done.alias}: {done.before} → {counted(done.after, 'shard')},"
            f" {counted(done.documents, 'document')}; writes to it waited for"
            f" {done.refused:.1f} s."
        )


def _of_servers() -> Settings:
    """Raises InputError if the store is SQLite, which has no indices."""
    settings = load_settings()
    if not settings.store.startswith(("http://", "https://")):
        raise InputError("Only a store on servers has indices; set TICKETING_STORE to its address.")
    require_restored(settings.home)
    return settings
