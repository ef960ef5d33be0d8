"""Judgments of proposed tickets."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta

from ticketing.desk.base import DeskBase
from ticketing.errors import InputError, NotFound
from ticketing.labels.derive import latest
from ticketing.tickets import IMPORTED, Grade, Judgment
from ticketing.times import utc_now


class Judging(DeskBase):
    """Judgments: recorded as events, and read as the grades that count at present."""

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
        note: str = "",
    ) -> Judgment:
        """Record a grade (or None to take it back) as an event. A repeated `event_id` is recorded
        once.

        Raises NotFound for an unknown query or ticket, Conflict for an `event_id` used by another
        event, InputError for an `event_id` reserved for imports and for the ticket that is the
        query itself, StoreFull.
        """
        if event_id.startswith(IMPORTED):
            raise InputError(f"No event_id of a person begins with {IMPORTED!r}; send another one.")
        query = self._known_query(query_id)
        if ticket_id not in self.store.get_tickets([ticket_id]):
            raise NotFound(f"There is no ticket {ticket_id}; it may have been deleted meanwhile.")
        if ticket_id == query.ticket_id:
            raise InputError(f"Ticket {ticket_id} is the query itself; judge another one for it.")
        judgment = Judgment(
            event_id=event_id or uuid.uuid4().hex,
            query=query,
            ticket_id=ticket_id,
            grade=grade,
            judge=judge,
            time=self._time_of_next(query_id, ticket_id, judge),
            rank=rank,
            score=score,
            bundle_id=self.store.serving(),
            note=note,
        )
        self.store.add_judgments([judgment])
        return judgment

    def _time_of_next(self, query_id: str, ticket_id: str, judge: str) -> datetime:
        """The present time, but later than this judge's former events for the ticket. The latest
        grade counts, and the clock of another machine may be ahead."""
        before = [
            event.time + timedelta(microseconds=1)
            for event in self.store.judgments(query_id, ticket_id)
            if event.judge == judge
        ]
        return max([utc_now(), *before])

    def grades(self, query_id: str, judge: str) -> dict[str, Grade]:
        """This judge's present grades for a query, by ticket id (without those taken back)."""
        return {
            ticket_id: judgment.grade
            for ticket_id, judgments in self.judgments_of(query_id).items()
            for judgment in judgments
            if judgment.judge == judge and judgment.grade is not None
        }

    def solved_by(self, ticket_id: str) -> list[Judgment]:
        """The present YES judgments of a ticket, that is, the queries that it solved, newest
        first."""
        return [
            judgment
            for judgment in standing(self.store.judgments(ticket_id=ticket_id))
            if judgment.grade == Grade.YES
        ]

    def judgments_of(self, query_id: str) -> dict[str, list[Judgment]]:
        """All judges' present judgments for a query, by ticket id; those of a ticket newest first
        (without those taken back)."""
        found: dict[str, list[Judgment]] = {}
        for judgment in standing(self.store.judgments(query_id)):
            found.setdefault(judgment.ticket_id, []).append(judgment)
        return found

    def last_note(self, query_id: str, ticket_id: str, judge: str) -> str:
        """What a judge last wrote about a ticket, beside a grade, even if the grade was taken back
        since or the note was written before any grade."""
        given = [
            event
            for event in self.store.judgments(query_id, ticket_id)
            if event.judge == judge and (event.grade is not None or event.note)
        ]
        return max(given, key=lambda event: event.time).note if given else ""

    def keep_note(self, query_id: str, ticket_id: str, judge: str, note: str) -> None:
        """Store a judge's note on a ticket without changing their grade, if they gave one, so that
        they see the note when they come back. Raises as `judge`."""
        if note and note != self.last_note(query_id, ticket_id, judge):
            grade = self.grades(query_id, judge).get(ticket_id)
            self.judge(query_id, ticket_id, grade, judge, note=note)


def standing(events: Iterable[Judgment]) -> list[Judgment]:
    """The present judgments: the latest event for each judge, query and ticket, unless it takes a
    grade back; newest first."""
    return [event for event in reversed(latest(events)) if event.grade is not None]
