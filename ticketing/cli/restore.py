"""`ticketing restore`: the way back."""

from contextlib import closing
from pathlib import Path

import click

from ticketing.cli.bars import Bars
from ticketing.cli.doer import audit
from ticketing.cli.options import FILE
from ticketing.desk import open_desk
from ticketing.desk.restore import restore
from ticketing.history import Deed
from ticketing.settings import load_settings


@click.command()
@click.argument("file", type=FILE)
@click.option("--replace", is_flag=True, help="Move what is in the home to a folder there.")
def command(file: Path, replace: bool) -> None:
    """Make the desk the one in the backup FILE.

    The home, and a store on servers, must be empty; --replace moves what is in the home to
    `replaced-<time>` there. FILE is compared with its digests before anything is touched.
    Interrupted, run it again.
    """
    settings = load_settings()
    with Bars() as bars:
        manifest = restore(settings, file, replace, bars)
    with closing(open_desk(settings)) as desk:
        audit(desk, Deed.IMPORTED, f"backup {file.name} of {manifest.created[:16]}")
    click.echo(f"The desk is the one of {manifest.created[:16]} UTC.")
