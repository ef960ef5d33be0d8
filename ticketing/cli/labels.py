"""`ticketing labels`: judgments in from other tools, and out to them."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import click

from ticketing.cli.actor import audit, audit_written
from ticketing.cli.groups import Group
from ticketing.cli.options import DATE, FILE, FOLDER, TARGET, Command
from ticketing.cli.printing import say
from ticketing.cli.rejects import keep_rejects, require_no_input, show_rejects, written_rejects
from ticketing.desk import open_desk, open_known_desk
from ticketing.errors import InputError
from ticketing.history import Deed
from ticketing.labels import IMPORT, Columns, export_labels, import_labels, read_grades
from ticketing.plurals import counted
from ticketing.settings import load_settings


@click.group("labels", cls=Group)
def command() -> None:
    """Import and export judgments."""


def _column(option: str, what: str) -> Callable[[Command], Command]:
    return click.option(option, default="", metavar="COLUMN", help=f"Column with {what}")


@command.command("import")
@click.argument("file", type=FILE)
@_column("--query", "the id of the ticket that is the query.")
@_column("--subject", "the query's subject, instead of --query.")
@_column("--description", "the query's description, beside --subject.")
@_column("--ticket", "the id of the judged ticket.")
@_column("--grade-column", "the grade.")
@click.option(
    "--grade",
    "grades",
    multiple=True,
    metavar="VALUE=GRADE",
    help="The grade (YES, REL or NO) that a value of the grade column means; "
    "repeatable. Rows with other values are left out.",
)
@click.option(
    "--before", type=DATE, help="Import only rows whose query is a ticket created before this date."
)
@click.option("--judge", default=IMPORT, show_default=True, help="Name of the person who judged.")
@_column("--judge-column", "the judge's name, instead of --judge.")
@click.option("--rejects", type=TARGET, help="Write rejected rows to this file (JSON Lines).")
def import_(
    file: Path,
    query: str,
    subject: str,
    description: str,
    ticket: str,
    grade_column: str,
    grades: tuple[str, ...],
    before: datetime | None,
    judge: str,
    judge_column: str,
    rejects: Path | None,
) -> None:
    """Import judgments from FILE: a table (.csv, .tsv, .jsonl, each also .gz, or .xlsx), or
    exported events.

    The file judgments.jsonl of `ticketing labels export` holds events. In a table, columns that are
    not named are guessed from usual names, except that of --query.
    """
    require_no_input(rejects, [file])
    desk = open_desk(load_settings())
    with written_rejects(rejects):
        report = import_labels(
            file,
            desk.store,
            Columns(query, subject, description, ticket, grade_column, judge_column),
            read_grades(grades) or None,
            before,
            judge,
        )
    keep_rejects(report.rejects, rejects)
    by = "" if judge == IMPORT else f", judged by {judge}"
    audit(desk, Deed.IMPORTED, f"labels of {file.name}{by}")
    say(
        f"{counted(report.added, 'judgment')} added, {report.known:,} known before, "
        f"{counted(report.left_out, 'row')} left out, "
        f"{counted(len(report.rejects), 'row')} rejected."
    )
    if report.strange:
        say(f"{counted(report.strange, 'judgment')} of tickets that are not here; import them too.")
    show_rejects(report.rejects, rejects)
    if report.added or report.known:
        return
    if report.left_out:
        grade = next(iter(sorted(report.unmapped)), None)
        cause = (
            "no query's ticket was created before --before"
            if grade is None
            else f"--grade does not name their grades, as {grade!r}"
        )
        raise InputError(f"No judgment of it can be taken: {cause}; correct the option.")
    if report.rejects:
        raise InputError(
            "No judgment of it can be taken: every row was rejected; mend the rows, or name other"
            " columns."
        )


@command.command("export")
@click.argument("folder", type=FOLDER)
def export(folder: Path) -> None:
    """Write judgments.jsonl, labels.csv, qrels.txt and queries.jsonl to FOLDER.

    In labels.csv an apostrophe stands before a text that a spreadsheet would run as a formula.
    """
    desk = open_known_desk(load_settings())
    exported = export_labels(desk.store.judgments(), folder)
    audit_written(desk, "labels")
    for path in exported.paths:
        say(str(path))
    if ids := exported.left_out:
        say(
            f"Not in qrels.txt, whose columns white space parts: {counted(len(ids), 'id')},"
            f" first {ids[0]!r}. The other files have them."
        )
