"""Finds and runs the command that is asked for, and nothing else.

A command is a `click.Command` registered under the entry-point group `ticketing.commands` in
pyproject.toml.
"""

import errno
import os

import click

from ticketing.cli.groups import PluggedGroup
from ticketing.errors import TicketingError

SENTENCES = {}
"""What each command does, so that the list of all of them imports none."""


@click.group(cls=PluggedGroup, plugs="ticketing.commands", sentences=SENTENCES)
@click.version_option(package_name="ticketing")
def commands() -> None:
    """Find the past ticket whose solution fixes a new problem."""


def run() -> int:
    """Run the command that `sys.argv` names; gives the exit code."""
    # Threads that wait for work must sleep: beside other busy processes spinning ones cost tenfold.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        return commands.main(prog_name="ticketing", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except TicketingError as error:
        return _failed(str(error))
    except OSError as error:
        if error.errno == errno.ENOSPC:
            where = error.filename or "everything the desk owns"
            return _failed(f"The disk that holds {where} is full; free some room and run it again.")
        if error.errno is None or error.filename is None:
            raise
        return _failed(f"{error.strerror}: {error.filename}.")


def _failed(sentence: str) -> int:
    click.echo(f"ticketing: {sentence}", err=True)
    return 1
