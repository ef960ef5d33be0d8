"""How every import shows the rows that it left out."""

from pathlib import Path

import click

from ticketing.tables import Reject, write_rejects

_SHOWN_REJECTS = 5


def show_rejects(rejects: list[Reject], path: Path | None) -> None:
    """Print the first few, and write all of them to `path` where one was asked for."""
    for reject in rejects[:_SHOWN_REJECTS]:
        click.echo(f"  rejected {reject}")
    if len(rejects) > _SHOWN_REJECTS:
        more = "" if path else "; --rejects FILE writes all of them"
        click.echo(f"  … and {len(rejects) - _SHOWN_REJECTS} more{more}")
    if path:
        write_rejects(path, rejects)
        click.echo(f"The rejected rows are in {path}.")
