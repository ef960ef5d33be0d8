"""`ticketing import`, which does it here or leaves it to the workers."""

from datetime import datetime
from pathlib import Path

import click

from ticketing.cli.actor import command_line
from ticketing.cli.import_ import asked, import_here
from ticketing.cli.options import DATE, DETACH, FILE, TARGET
from ticketing.cli.printing import say
from ticketing.desk import open_desk
from ticketing.errors import InputError
from ticketing.settings import load_settings
from worker.app import make_app
from worker.follow import detached
from worker.importing import start_import


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option(
    "--mapping",
    "mapping_file",
    type=FILE,
    help="TOML file that names each field's column (field = 'column').",
)
@click.option(
    "--map",
    "overrides",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Column of one field; repeatable.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be stored; store nothing.")
@click.option("--rejects", type=TARGET, help="Write rejected rows to this file (JSON Lines).")
@click.option(
    "--solution-before", type=DATE, help="Take only replies written before this date as solutions."
)
@DETACH
def command(
    files: tuple[Path, ...],
    mapping_file: Path | None,
    overrides: tuple[str, ...],
    dry_run: bool,
    rejects: Path | None,
    solution_before: datetime | None,
    detach: bool,
) -> None:
    """Store the tickets of FILES (.csv, .tsv, .jsonl, each also .gz, or .xlsx).

    The fields are id, subject, description, solution, product, status, created and groups; a table
    `comments` (column, text, author, time, leave_out, choose) finds the solution among replies.
    Columns of fields that are not mapped are guessed from usual names. Importing the same file
    twice changes nothing. With --detach the workers store the tickets; they may run on other
    machines.
    """
    if not detach:
        import_here(files, mapping_file, overrides, dry_run, rejects, solution_before)
        return
    if dry_run or rejects:
        raise InputError("--detach goes with neither --dry-run nor --rejects; leave it out.")
    settings = load_settings()
    desk, app = open_desk(settings), make_app(settings)
    arguments = asked(desk, files, mapping_file, overrides, solution_before)
    say(detached(start_import(desk, app, arguments, command_line().name)))
