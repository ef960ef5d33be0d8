"""Validation that every store does before it writes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ticketing.errors import Conflict, InputError, StoreError
from ticketing.limits import ID, half_fault
from ticketing.people import Account
from ticketing.tickets import Filters, Judgment, Ticket, Verdict

Event = TypeVar("Event", Judgment, Verdict)

TAKEN = "cannot be used; choose another one"
"""Message for an id that belongs or belonged to a ticket which this person may not see."""


def latest_by_id(tickets: Sequence[Ticket]) -> dict[str, Ticket]:
    """The last given ticket of each id. Raises InputError for an id that no store can keep, and for
    an unpaired surrogate in any text."""
    latest = {ticket.id: ticket for ticket in tickets}
    for id, ticket in latest.items():
        if not id or "\0" in id:
            raise InputError(f"A ticket cannot have the id {id!r}; give it one that reads.")
        if fault := ID.fault(len(id.encode(errors="replace"))):
            raise InputError(f"The ticket id {id[:40]!r}… {fault}.")
        require_text((id, ticket.text, ticket.product, ticket.status, *ticket.groups))
    return latest


def in_place_of(
    known: Mapping[str, Ticket],
    tickets: Mapping[str, Ticket],
    keep: Collection[str],
    theirs: Filters,
) -> dict[str, Ticket]:
    """Merge given tickets with the `known` ones of the same ids: see Tickets.put_tickets."""
    hidden = [id for id in tickets if id in known and not theirs.admit(known[id])]
    if hidden:
        raise taken(min(hidden))
    kept = {id: {name: getattr(known[id], name) for name in keep} for id in tickets if id in known}
    return {id: replace(ticket, **kept.get(id, {})) for id, ticket in tickets.items()}


def taken(ticket_id: str) -> Conflict:
    """The error for an id that the person may not use."""
    return Conflict(f"The ticket id {ticket_id} {TAKEN}.")


def half_a_character(text: str) -> InputError:
    """The error for text with an unpaired surrogate."""
    return InputError(f"The text {text[:40]!r} {half_fault(text)}.")


def require_text(texts: Iterable[str]) -> None:
    """Raises InputError for a text with an unpaired surrogate."""
    for text in texts:
        if half_fault(text):
            raise half_a_character(text)


def require_one_width(bundle_id: str, widths: set[int]) -> None:
    """Raises StoreError if the codes of a bundle have several widths in bytes."""
    if len(widths) > 1:
        raise StoreError(
            f"Codes of bundle {bundle_id} must all have one width, not"
            f" {' and '.join(map(str, sorted(widths)))} bytes; drop its codes and reindex."
        )


def require_idle(bundle_id: str, serving: str) -> None:
    """Raises Conflict if the bundle is the serving one."""
    if bundle_id == serving:
        raise Conflict(
            f"Bundle {bundle_id} serves and cannot be deleted; let another one serve first."
        )


def require_account(account: Account) -> None:
    """Raises InputError for an account without a name or with an unpaired surrogate in any text."""
    if not account.name.strip():
        raise InputError("An account needs a name; give one.")
    require_text((account.name, account.password_hash, account.role, *account.groups))


def require_same(kept: Iterable[Event], given: Iterable[Event]) -> None:
    """Raises Conflict if a given event has the id of a different event, stored or given.

    The time and the serving bundle may differ, since a request without an answer is sent again.
    """
    known = {event.event_id: event for event in kept}
    for event in given:
        other = known.setdefault(event.event_id, event)
        if replace(event, time=other.time, bundle_id=other.bundle_id) != other:
            raise Conflict(
                f"The event_id {event.event_id[:40]!r} stands for something else already;"
                " send a new one."
            )
