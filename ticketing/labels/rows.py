"""What a row of a file of labels says, as a judgment event."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ticketing.labels.columns import Columns, cell, is_exported, shown
from ticketing.labels.known import JudgedQueries
from ticketing.limits import NAME, query_fault
from ticketing.stores.protocols import Tickets
from ticketing.tables import Reject, Row, whole
from ticketing.text import strip_markup
from ticketing.tickets import Grade, Judgment, Query, Ticket

IMPORT = "import"
"""Name of the judge if none is given."""


def named_tickets(rows: list[Row], columns: Columns, store: Tickets) -> dict[str, Ticket]:
    """The tickets of the archive that the rows refer to or may refer to."""
    named = (columns.ticket, columns.query) if columns.query else (columns.ticket,)
    ids = {cell(row, column) for row in rows for column in named}
    return store.get_tickets(sorted(ids | set(map(whole, ids))))


@dataclass(frozen=True)
class LabelReader:
    """Reads rows of a file with these columns. The tickets are those that its rows name; `judge` is
    who judged where a row does not say it."""

    columns: Columns
    tickets: Mapping[str, Ticket]
    judged: JudgedQueries
    judge: str

    def event(self, row: Row, grade: Grade, now: datetime) -> Judgment | Reject:
        """The event of one row, without its id."""
        columns = self.columns
        for column in filter(None, (columns.query, columns.ticket)):
            if self._id(row, column) not in self.tickets:
                reason = f"there is no ticket {shown(row, column)} in the archive"
                return Reject(row.file, row.line, column, reason)
        query, ticket_id = self._query(row), self._id(row, columns.ticket)
        if not query.subject and not query.description:
            return Reject(row.file, row.line, columns.subject, "is empty")
        part, fault = query_fault(query)
        if fault:
            return Reject(row.file, row.line, getattr(columns, part), fault)
        if query.ticket_id == ticket_id:
            return Reject(row.file, row.line, columns.ticket, "is the query itself")
        judge = cell(row, columns.judge) or self.judge
        if fault := NAME.fault(len(judge)):
            return Reject(row.file, row.line, columns.judge, fault)
        return Judgment("", query, ticket_id, grade, judge, now)

    def is_known(self, row: Row, event: Judgment) -> bool:
        """Whether a row says what already follows from the judgments of all: it is from labels.csv,
        whose labels are derived from all judges, and has the grade of the present label."""
        named = cell(row, self.columns.judge) or self.judge != IMPORT
        of_all = (is_exported(row) and not named) or self._of_one_text(row) is not None
        return of_all and self.judged.agree(event)

    def asked_before(self, event: Judgment, time: datetime) -> bool:
        """Whether the ticket that is the query was created before a time."""
        created = self.tickets[event.query.ticket_id].created
        return created is not None and created < time

    def _query(self, row: Row) -> Query:
        if self.columns.query:
            ticket = self.tickets[self._id(row, self.columns.query)]
            return ticket.as_query
        return self._of_one_text(row) or self._typed(row)

    def _of_one_text(self, row: Row) -> Query | None:
        """The judged query with the one text of a row, unless the row itself gives the query."""
        if self.columns.query or cell(row, self.columns.description):
            return None
        known = self.judged.named(cell(row, self.columns.subject))
        return known if known and known.id != self._typed(row).id else None

    def _typed(self, row: Row) -> Query:
        columns = self.columns.subject, self.columns.description
        return Query(*(strip_markup(cell(row, column)) for column in columns))

    def _id(self, row: Row, column: str) -> str:
        """The id in a row: as it is written or, if there is no such ticket, as a whole number."""
        written = cell(row, column)
        return written if written in self.tickets else whole(written)
