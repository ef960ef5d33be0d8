"""`ticketing experiments`: the papers' tables, a command each."""

import click

from ticketing.cli.groups import PluggedGroup


@click.group("experiments", cls=PluggedGroup, plugs="ticketing.experiments")
def command() -> None:
    """Reproduce the papers' tables on the desk's archive or on public data sets.

    The models trained for these tables never serve.
    """
