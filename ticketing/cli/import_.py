"""What `ticketing import` does: tickets of any desk from CSV or JSON Lines."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from tqdm import tqdm

from ticketing.cli.actor import audit
from ticketing.cli.printing import say
from ticketing.cli.rejects import keep_rejects, require_no_input, show_rejects, written_rejects
from ticketing.desk import Desk, open_desk
from ticketing.errors import InputError
from ticketing.files import Json
from ticketing.history import Deed
from ticketing.importing import (
    ImportReport,
    Mapping,
    Source,
    import_sources,
    open_source,
    read_mapping,
)
from ticketing.plurals import counted
from ticketing.settings import load_settings
from ticketing.stores.protocols import PutCounts
from ticketing.text import tokenize
from ticketing.text.sentences import clipped
from ticketing.tickets import Ticket
from ticketing.times import MEND_DATES

_SHOWN_TICKETS = 3
_SHOWN_CHARACTERS = 300
_SHOWN_TOKENS = 60


def import_here(
    files: tuple[Path, ...],
    mapping_file: Path | None,
    overrides: tuple[str, ...],
    dry_run: bool,
    rejects: Path | None,
    solution_before: datetime | None,
) -> None:
    """Store the tickets of files, or show what would be stored. Raises InputError, also if all rows
    are rejected."""
    require_no_input(rejects, [*files, *([mapping_file] if mapping_file else [])])
    mapping = read_mapping(mapping_file, overrides)
    with written_rejects(rejects):
        sources = [open_source(path, mapping, solution_before) for path in files]
    for source in sources:
        say(f"{source.path}: {_describe(source.mapping)}")
    report, taken = _dry_run(sources, rejects) if dry_run else _store(sources, rejects)
    if report.to_come:
        say(
            f"Warning: {counted(len(report.to_come), 'ticket')} dated after tomorrow, first"
            f" {report.to_come[0]}; {MEND_DATES}"
        )
    show_rejects(report.rejects, rejects)
    if not taken:
        raise InputError(
            "Nothing of it can be stored: every row was rejected; mend the rows, or map other"
            " columns with --map."
        )


def asked(
    desk: Desk,
    files: tuple[Path, ...],
    mapping_file: Path | None,
    overrides: tuple[str, ...],
    solution_before: datetime | None,
) -> Json:
    """The arguments of an import job. Raises InputError."""
    arguments = desk.import_arguments(files, read_mapping(mapping_file, overrides), solution_before)
    _audit(desk, files)
    return arguments


def _audit(desk: Desk, files: Iterable[Path]) -> None:
    audit(desk, Deed.IMPORTED, f"tickets of {', '.join(path.name for path in files)}")


def _store(sources: list[Source], rejects: Path | None) -> tuple[ImportReport, int]:
    """Store the tickets; returns the report, and the number of ids already taken."""
    desk = open_desk(load_settings())
    _audit(desk, [source.path for source in sources])
    with _progress(sources) as bar:
        report = import_sources(sources, desk.put_tickets, bar.update)
    keep_rejects(report.rejects, rejects)
    taken = report.added + report.changed + report.unchanged
    say(
        f"{counted(report.added, 'ticket')} added, {report.changed:,} changed, "
        f"{report.unchanged:,} unchanged, {counted(len(report.rejects), 'row')} rejected."
    )
    if taken and desk.store.serving():
        say("All of them can be found now.")
    elif taken:
        say("`ticketing train` learns from them; no model serves yet.")
    return report, taken


def _dry_run(sources: list[Source], rejects: Path | None) -> tuple[ImportReport, int]:
    """As `_store`, for what would be stored."""
    first: list[Ticket] = []

    def count(tickets: Sequence[Ticket], _: Collection[str]) -> PutCounts:
        first.extend(tickets[: _SHOWN_TICKETS - len(first)])
        return PutCounts(added=len(tickets))

    with _progress(sources) as bar:
        report = import_sources(sources, count, bar.update)
    keep_rejects(report.rejects, rejects)
    for ticket in first:
        _show_ticket(ticket)
    say(
        f"{counted(report.added, 'ticket')} would be stored, "
        f"{counted(len(report.rejects), 'row')} rejected; "
        "this was a dry run, nothing was stored."
    )
    return report, report.added


def _progress(sources: list[Source]) -> "tqdm[NoReturn]":
    return tqdm(total=sum(source.rows for source in sources), unit=" rows", desc="importing")


def _describe(mapping: Mapping) -> str:
    """The mapping in one line: `id = key, subject = summary, ...`."""
    columns = mapping.model_dump(exclude={"comments", "mails"})
    parts = [f"{field} = {column}" for field, column in columns.items() if column]
    parts += ["mails = yes"] if mapping.mails else []
    if comments := mapping.comments:
        left_out = ", ".join(comments.leave_out) or "nobody"
        parts.append(
            f"solution = {comments.choose} of {comments.column} (text = {comments.text}, "
            f"author = {comments.author or '-'}, time = {comments.time or '-'}, "
            f"without replies by {left_out})"
        )
    return ", ".join(parts)


def _show_ticket(ticket: Ticket) -> None:
    say(f"\n{ticket.id}  {ticket.product}  {ticket.status}  {ticket.created or 'no date'}")
    if ticket.groups:
        say(f"  seen by: {', '.join(sorted(ticket.groups))}")
    for field in ("subject", "description", "solution"):
        text = getattr(ticket, field)
        say(f"  {field}: {clipped(text, _SHOWN_CHARACTERS)}")
        if text:
            tokens = tokenize(text)
            more = " …" if len(tokens) > _SHOWN_TOKENS else ""
            say(f"    the model sees: {' '.join(tokens[:_SHOWN_TOKENS])}{more}")
