"""The desk: store, models and settings wired together, and every use case as one method.

The command line, the page, the API and the worker call a Desk and nothing below it.
"""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

from ticketing.errors import NotFound
from ticketing.settings import Settings
from ticketing.stores.protocol import PutCounts, TicketStore
from ticketing.tickets import Filters, Grade, Judgment, Query, Recommendations, Ticket


class Desk:
    """One desk's knowledge base and the model that serves it."""

    def __init__(self, settings: Settings, store: TicketStore):
        self.settings = settings
        self.store = store

    @property
    def notice(self) -> str:
        """A sentence shown on every page (the demonstration base says that it is generated)."""
        path = self.settings.home / "notice.txt"
        return path.read_text().strip() if path.exists() else ""

    def recommend(self, query: Query, filters: Filters = Filters(), limit: int = 10) -> Recommendations:
        """The best past tickets for a query, which is remembered under `query.id`.

        Raises NotReady when no bundle serves yet, InputError for a blank query.
        """
        raise NotImplementedError

    def judge(
        self,
        query_id: str,
        ticket_id: str,
        grade: Grade | None,
        judge: str,
        *,
        rank: int | None = None,
        score: float | None = None,
        event_id: str = "",
    ) -> Judgment:
        """Record a grade (or its undo, None) as an event; the same `event_id` twice is once.

        Raises NotFound for an unknown query or ticket.
        """
        query = self.store.get_query(query_id)
        if query is None:
            raise NotFound(f"There is no query {query_id}; ask it again.")
        if ticket_id not in self.store.get_tickets([ticket_id]):
            raise NotFound(f"There is no ticket {ticket_id}; it may have been deleted meanwhile.")
        judgment = Judgment(
            event_id=event_id or uuid.uuid4().hex,
            query=query,
            ticket_id=ticket_id,
            grade=grade,
            judge=judge,
            time=datetime.now(UTC).replace(tzinfo=None),
            rank=rank,
            score=score,
            bundle_id=self.store.serving(),
        )
        self.store.add_judgments([judgment])
        return judgment

    def grades(self, query_id: str, judge: str) -> dict[str, Grade]:
        """This judge's present grades for a query, by ticket id (undone ones are absent)."""
        latest = {j.ticket_id: j.grade for j in self.store.judgments(query_id) if j.judge == judge}
        return {ticket: grade for ticket, grade in latest.items() if grade is not None}

    def put_tickets(self, tickets: Sequence[Ticket]) -> PutCounts:
        """Add or change tickets and, where a bundle serves, encode them so that the next query finds them."""
        raise NotImplementedError

    def delete_tickets(self, ids: Sequence[str]) -> int:
        """Delete tickets; the next query no longer finds them."""
        return self.store.delete_tickets(ids)
