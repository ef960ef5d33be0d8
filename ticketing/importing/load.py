"""Imports files into the store: survey first, then convert and store batch by batch."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ticketing.batches import batches
from ticketing.errors import InputError
from ticketing.importing.convert import to_ticket
from ticketing.importing.mapping import Mapping, complete
from ticketing.importing.places import FirstPlaces, first_places
from ticketing.importing.survey import survey
from ticketing.stores.checks import TAKEN
from ticketing.stores.protocols import PutCounts
from ticketing.tables import Reject, Row, leave_out, read_rows
from ticketing.tickets import Ticket
from ticketing.times import plausible_until

BATCH = 500
"""Number of tickets stored at once."""

Place = tuple[str, int]
"""A file and the first line of a row."""


@dataclass(frozen=True)
class Source:
    """A file that was read to its end once, with its number of rows and its completed mapping."""

    path: Path
    rows: int
    mapping: Mapping
    before: datetime | None = None


@dataclass
class ImportReport:
    """The result of an import: counts of tickets, and the rows that were left out."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    rejects: list[Reject] = field(default_factory=list)
    to_come: list[str] = field(default_factory=list)
    """Ids of tickets dated after tomorrow, which are mistakes in the file."""

    def count(self, counts: PutCounts) -> None:
        """Add the counts of one batch."""
        self.added += counts.added
        self.changed += counts.changed
        self.unchanged += counts.unchanged


def open_source(path: Path, mapping: Mapping, before: datetime | None = None) -> Source:
    """Check that a file is readable to its end and complete its mapping; nothing is stored.

    With `before`, only replies dated earlier may be a solution. Raises InputError.
    """
    found = survey(path)
    mapping = complete(mapping, found)
    if before and mapping.solution:
        raise InputError(
            f"{path} has its solution in the undated column {mapping.solution!r}; replies "
            "before a date need a list of comments (--map comments.column=COLUMN)."
        )
    if before and mapping.comments and not mapping.comments.time:
        raise InputError(
            f"{path} has undated replies; name their time with --map comments.time=KEY."
        )
    return Source(path, found.rows, mapping, before)


def _placed_tickets(
    source: Source, places: FirstPlaces, rejects: list[Reject], seen_row: Callable[[], object]
) -> Iterator[tuple[Ticket, Place]]:
    """The tickets of a source in order, each with its place; rows left out are appended to
    `rejects`."""
    for row in read_rows(source.path):
        seen_row()
        ticket = row if isinstance(row, Reject) else _new_ticket(row, source, places)
        if isinstance(ticket, Reject):
            leave_out(ticket, rejects)
        else:
            yield ticket, (row.file, row.line)


def _new_ticket(row: Row, source: Source, places: FirstPlaces) -> Ticket | Reject:
    """The ticket of a row, or a Reject if its id is repeated."""
    ticket = to_ticket(row, source.mapping, source.before)
    if isinstance(ticket, Reject):
        return ticket
    if first := places.earlier(ticket.id, f"{row.file}:{row.line}"):
        return Reject(row.file, row.line, "id", f"{ticket.id} was already given at {first}")
    return ticket


def import_sources(
    sources: Sequence[Source],
    put_tickets: Callable[[Sequence[Ticket], Collection[str]], PutCounts],
    seen_row: Callable[[], object] = lambda: None,
    report: ImportReport | None = None,
) -> ImportReport:
    """Store the tickets of all sources in batches, each completely or not at all. A repeated id, in
    any of the sources, is rejected, and so is one that `put_tickets` reports as taken.
    `put_tickets` also gets the fields that the file does not have; present tickets keep these.
    `seen_row` is called once per row.

    If interrupted, complete tickets are stored, and `report` (if given) has the counts; another run
    stores the rest.
    """
    report = report or ImportReport()
    with first_places() as places:
        for source in sources:
            placed = _placed_tickets(source, places, report.rejects, seen_row)
            for batch in batches(placed, BATCH):
                counts = put_tickets([ticket for ticket, _ in batch], source.mapping.left_out)
                report.count(counts)
                for ticket, place in batch:
                    if ticket.id in counts.taken:
                        leave_out(Reject(*place, "id", f"{ticket.id} {TAKEN}"), report.rejects)
                report.to_come += _dated_to_come(t for t, _ in batch if t.id not in counts.taken)
    return report


def _dated_to_come(tickets: Iterable[Ticket]) -> list[str]:
    """The ids of tickets dated after tomorrow."""
    end = plausible_until()
    return [ticket.id for ticket in tickets if ticket.created and ticket.created >= end]
