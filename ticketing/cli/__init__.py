"""The command line: one module a command; worker and web plug theirs in by entry points.

A command is a `click.Command` registered under the entry-point group
`ticketing.commands` in pyproject.toml.
"""

import errno
import os
import sys
from importlib.metadata import entry_points
from typing import NoReturn

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
        _give_up(str(error))
    except OSError as error:
        if error.errno == errno.ENOSPC:
            where = error.filename or "everything the desk owns"
            _give_up(f"The disk that holds {where} is full; free some room and run it again.")
        if error.errno is None or error.filename is None:
            raise
        _give_up(f"{error.strerror}: {error.filename}.")


def _give_up(sentence: str) -> NoReturn:
    click.echo(f"ticketing: {sentence}", err=True)
    sys.exit(1)
