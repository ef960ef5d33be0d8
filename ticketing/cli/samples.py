"""Which labelled queries a command measures on."""

from collections.abc import Sequence
from datetime import datetime

from ticketing.desk import Desk
from ticketing.evaluation.measurement import NO_LABELS, NO_TICKETS
from ticketing.labels import is_test
from ticketing.tickets import Filters, Label


def measured_labels(
    desk: Desk,
    judged: Sequence[Label],
    since: datetime | None,
    before: datetime | None,
    demo: bool,
) -> list[Label]:
    """Labels of the queries that are tickets created in [since, before); without dates those of
    the held-out queries; for `demo` those of the demonstration base's end users."""
    if demo:
        return _end_user_labels()
    if not (since or before):
        return [label for label in judged if is_test(label.query.id)]
    within = Filters(created_since=since, created_before=before)
    asked = {ticket.id for ticket in desk.store.iter_tickets(within)}
    return [label for label in judged if label.query.ticket_id in asked]


def why_not(desk: Desk, labels: Sequence[Label]) -> str:
    """Why nothing can be measured by these labels; nothing where it can."""
    if not labels:
        return NO_LABELS
    found = desk.store.get_tickets([label.ticket_id for label in labels])
    return "" if found else NO_TICKETS


def _end_user_labels() -> list[Label]:
    """Gold labels that the demonstration base keeps for measuring; no judgment holds them."""
    from ticketing.demo.generator import generate

    return list(generate().gold)
