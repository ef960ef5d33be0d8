"""`ticketing restore`: the way back."""

from contextlib import closing
from pathlib import Path

import click

from ticketing.cli.actor import audit
from ticketing.cli.bars import Bars
from ticketing.cli.options import FILE
from ticketing.cli.printing import say
from ticketing.desk import open_desk
from ticketing.desk.restore import restore
from ticketing.history import Deed
from ticketing.plurals import counted
from ticketing.settings import load_settings


@click.command()
@click.argument("file", type=FILE)
@click.option("--replace", is_flag=True, help="Move the old desk to a folder in the home.")
def command(file: Path, replace: bool) -> None:
    """Restore the desk from the backup FILE.

    Without --replace the store must be empty. With it, the old desk is moved to the folder
    `replaced-<time>` in the home, while `ticketing serve` and `ticketing work` go on. The whole
    FILE is checked before anything is changed. If the restore is interrupted, run it again.
    """
    settings = load_settings()
    with Bars() as bars:
        manifest = restore(settings, file, replace, bars)
    with closing(open_desk(settings)) as desk:
        audit(desk, Deed.IMPORTED, f"backup {file.name} of {manifest.created[:16]}")
        unencoded = desk.unencoded()
    say(f"The desk is the one of {manifest.created[:16]} UTC.")
    if unencoded:
        say(
            f"No query finds {counted(unencoded, 'ticket')} yet, as codes are missing; run"
            " `ticketing check --repair`."
        )
