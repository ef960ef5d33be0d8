"""`ticketing restore`: the way back."""

from pathlib import Path

import click

from ticketing.cli.bars import Bars
from ticketing.cli.options import FILE
from ticketing.desk.restore import restore
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
    with Bars() as bars:
        manifest = restore(load_settings(), file, replace, bars)
    click.echo(f"The desk is the one of {manifest.created[:16]} UTC.")
