"""The command line: one module a command; worker and web plug theirs in by entry points.

A command is a `click.Command` registered under the entry-point group
`ticketing.commands` in pyproject.toml.
"""

import os
import sys
from importlib.metadata import entry_points

import click

from ticketing.errors import TicketingError


class _Commands(click.Group):
    """Loads a command only when it is asked for, so that `--help` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(point.name for point in entry_points(group="ticketing.commands"))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        points = entry_points(group="ticketing.commands", name=name)
        return next(iter(points)).load() if points else None


@click.group(cls=_Commands)
@click.version_option(package_name="ticketing")
def commands() -> None:
    """Find the past ticket whose solution fixes a new problem."""


def main() -> None:
    """Run the command line; an error a person can act on is one sentence and exit code 1."""
    # Threads that wait for work must sleep: beside other busy processes spinning ones cost tenfold.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        commands.main(prog_name="ticketing")
    except TicketingError as error:
        click.echo(f"ticketing: {error}", err=True)
        sys.exit(1)
    except OSError as error:
        if error.errno is None or (error.filename is None and error.errno != 28):
            raise
        click.echo(f"ticketing: {error.strerror}: {error.filename or 'the disk'}.", err=True)
        sys.exit(1)
