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


class PluggedGroup(click.Group):
    """A group whose commands are the entry points of group `plugs`.

    A command's module is imported only when the command is asked for.
    """

    def __init__(self, *args, plugs: str, **kwargs):
        super().__init__(*args, **kwargs)
        self.plugs = plugs

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands in alphabetical order."""
        return sorted(point.name for point in entry_points(group=self.plugs))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of a name, None where there is none."""
        points = entry_points(group=self.plugs, name=name)
        return next(iter(points)).load() if points else None


@click.group(cls=PluggedGroup, plugs="ticketing.commands")
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
