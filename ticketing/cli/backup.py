"""`ticketing backup`: one file to carry away."""

from contextlib import closing
from pathlib import Path

import click

from ticketing.cli.actor import audit_written
from ticketing.cli.bars import Bars
from ticketing.cli.options import TARGET
from ticketing.cli.printing import say
from ticketing.desk import open_known_desk
from ticketing.plurals import counted
from ticketing.settings import load_settings


@click.command()
@click.argument("file", type=TARGET)
def command(file: Path) -> None:
    """Write everything that the desk needs to one private FILE, while people work.

    FILE holds tickets, judgments, accounts, codes, bundles and the key that signs the cookies, and
    everything that was confirmed before the command began. The store may be SQLite or
    Elasticsearch. If the backup fails, an older FILE stays as it was. After `ticketing restore`
    everybody must sign in again.
    """
    with closing(open_known_desk(load_settings())) as desk, Bars() as bars:
        manifest = desk.back_up(file, bars)
        audit_written(desk, f"backup {file.name}")
    size, files = file.stat().st_size / 1e6, counted(len(manifest.files), "file")
    say(f"{file}: {size:,.1f} MB, {files}, compared.")
