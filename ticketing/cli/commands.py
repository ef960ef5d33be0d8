"""Finds and runs the command that is asked for, and nothing else.

A command is a `click.Command` registered under the entry-point group `ticketing.commands` in
pyproject.toml.
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partialmethod
from io import TextIOWrapper

import click
from tqdm import tqdm

from ticketing.cli.groups import PluggedGroup
from ticketing.cli.printing import say
from ticketing.errors import NewDesk, TicketingError
from ticketing.files import PRIVATE
from ticketing.redaction import mask_output, masked

SENTENCES = {
    "categories": "Propose one of the desk's own categories for a subject.",
    "backup": "Write everything that the desk needs to one private FILE, while people work.",
    "check": "Check all data of the desk for damage, and say what to do.",
    "demo": "Build, train and serve the demonstration knowledge base; finished parts are kept.",
    "evaluate": "Measure the ranking on labelled queries, also each channel alone and BM25.",
    "experiments": "Reproduce the papers' tables on the desk's archive or on public data sets.",
    "import": "Store the tickets of FILES (.csv, .tsv, .jsonl, each also .gz, or .xlsx).",
    "jobs": "List the latest jobs with state, progress, rate and time left, or show JOB.",
    "labels": "Import and export judgments.",
    "migrate": "Copy everything from the store SOURCE to the store TARGET and compare both.",
    "models": "List, compare, promote, roll back and delete model bundles.",
    "recommend": "Find the best past tickets for SUBJECT and DESCRIPTION.",
    "reindex": "Encode every ticket with BUNDLE, and let it serve unless it loses.",
    "restore": "Restore the desk from the backup FILE.",
    "schedule": "See and set when the desk trains by itself.",
    "serve": "Serve the page and the JSON API until Ctrl-C.",
    "store": "Resize or recreate the indices of a store on servers, or choose an alias's index.",
    "train": "Train a model on the desk's tickets and judgments, and let it serve.",
    "tune": "Tune a sentence encoder on the desk's tickets and judgments, for use as a teacher.",
    "users": "Add and change people, their roles and groups, and tokens for programs.",
    "work": "Run a worker until Ctrl-C: it does encoding, training, evaluation and import.",
}
"""What each command does, so that listing commands imports none of them."""


@click.group(cls=PluggedGroup, plugs="ticketing.commands", sentences=SENTENCES)
@click.version_option(package_name="ticketing")
def commands() -> None:
    """Find the past ticket whose solution fixes a new problem."""


def run() -> int:
    """Run the command in `sys.argv`; returns the exit code."""
    _open_what_is_closed()
    _show_any_character()
    mask_output()
    os.umask(PRIVATE)
    # Threads that wait for work must sleep: beside other busy processes spinning ones cost tenfold.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        with _bars_on_terminals_alone():
            return commands.main(prog_name="ticketing", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except NewDesk as error:
        from ticketing.settings import load_settings  # no list of commands needs it

        return _failed(f"{error} {load_settings().where}")
    except TicketingError as error:
        return _failed(str(error))
    except OSError as error:
        if error.errno == errno.ENOSPC:
            where = error.filename2 or error.filename or "what this writes"
            return _failed(f"The disk that holds {where} is full; free some room and run it again.")
        if error.errno is None or error.filename is None:
            raise
        return _failed(
            f"{error.filename} cannot be used ({error.strerror}); let the user who runs this read"
            " and write it, or name another one."
        )


def _open_what_is_closed() -> None:
    """Open the null device for each closed standard stream, so that no other file gets its
    number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  as long as the process


def _show_any_character() -> None:
    """Show characters that the terminal's encoding lacks by their numbers, as errors do."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


@contextmanager
def _bars_on_terminals_alone() -> Iterator[None]:
    """Draw progress bars on terminals only; in a file they would be thousands of lines."""
    made = tqdm.__init__
    tqdm.__init__ = partialmethod(made, disable=None)  # type: ignore[assignment]
    try:
        yield
    finally:
        tqdm.__init__ = made  # type: ignore[method-assign]


def _failed(sentence: str) -> int:
    say(f"ticketing: {masked(sentence)}", error=True)
    return 1
