"""The history: who asked what and got which answer, saved queries, names of topics, and the audit.

All records are append-only events. `event_id` makes recording idempotent; `time` is naive UTC.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ticketing.recommendations import Outlook
from ticketing.tickets import Filters, Query


@dataclass(frozen=True)
class Asking:
    """Somebody asked a query and got this answer.

    `outlook` and `chance` are those of the answer; the chance is None if nothing is known about it,
    as for tickets found by their id or a code. `shown` are the ids of the tickets shown, best
    first, under the bundle `bundle_id`. `groups` are the groups of the person; None sees all
    tickets.
    """

    event_id: str
    person: str
    time: datetime
    query: Query
    filters: Filters
    bundle_id: str
    outlook: Outlook
    chance: float | None
    shown: tuple[str, ...]
    groups: frozenset[str] | None = None


@dataclass(frozen=True)
class SavedQuery:
    """Somebody saved a query with its filters, or (`kept` False) removed it from the saved ones."""

    event_id: str
    person: str
    time: datetime
    query: Query
    filters: Filters
    kept: bool


@dataclass(frozen=True)
class TopicName:
    """Somebody named a topic; an empty name removes the name.

    The topic is identified by its words, not by its number in a bundle, so a later bundle's topic
    of about the same words inherits the name.
    """

    event_id: str
    person: str
    time: datetime
    words: tuple[str, ...]
    name: str


@dataclass(frozen=True)
class FormerTicket:
    """A ticket with `groups` was deleted. Its id stays reserved for these groups, because past
    queries and judgments refer to it."""

    event_id: str
    time: datetime
    ticket_id: str
    groups: frozenset[str]
    person: str = ""  # no person


class Deed(StrEnum):
    """What an audit entry reports."""

    SIGNED_IN = "signed in"
    SIGN_IN_FAILED = "sign-in failed"
    SIGNED_OUT = "signed out"
    JUDGED = "judged"
    DELETED = "deleted"
    IMPORTED = "imported"
    EXPORTED = "exported"
    PROMOTED = "promoted"
    JOB_BEGUN = "job begun"
    JOB_CANCELLED = "job cancelled"
    JOB_RETRIED = "job retried"
    ANSWERED = "answered"
    SCHEDULED = "scheduled"
    MENDED = "mended"
    RESIZED = "resized"
    PERSON_ADDED = "person added"
    PERSON_CHANGED = "person changed"
    PASSWORD_CHANGED = "password changed"
    TOKEN_MADE = "token made"
    TOKEN_REVOKED = "token revoked"


TO_TICKETS = frozenset({Deed.JUDGED, Deed.DELETED, Deed.IMPORTED})
"""Deeds done to tickets or categories. For other deeds `which` may begin with a person's name."""


@dataclass(frozen=True)
class AuditEntry:
    """An entry of the audit: somebody did something.

    `which` names the object by its id (or says how many there were), `where` is the address of the
    request. Neither ever holds a ticket's text or a secret.
    """

    event_id: str
    person: str
    """Empty if the person is unknown, for example when a sign-in with an unknown name fails."""
    time: datetime
    deed: Deed
    which: str
    where: str

    @property
    def ticket_id(self) -> str:
        """The id of the ticket that the deed was done to, or ""."""
        return self._named("ticket").partition(" ")[0]

    @property
    def category(self) -> str:
        """The category that the deed was done to, or ""."""
        return self._named("category")

    def _named(self, kind: str) -> str:
        first, _, named = self.which.partition(" ")
        return named if first == kind and self.deed in TO_TICKETS else ""


HistoryEvent = Asking | SavedQuery | TopicName | FormerTicket | AuditEntry
