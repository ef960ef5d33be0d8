"""What is remembered of yesterday: who asked what and was told what, names people gave, and who
did what to which.

All are append-only events; `event_id` makes recording idempotent, `time` is naive UTC.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ticketing.recommendations import Outlook
from ticketing.tickets import Filters, Query


@dataclass(frozen=True)
class Asking:
    """Somebody asked, and this is what was answered then.

    `outlook` and `chance` are those of the answer, the chance None where nothing is known of it, as
    of tickets found by their id or a code; `shown` are the ids of the tickets shown, the
    best first, under the bundle `bundle_id`, to somebody of these `groups` (None sees all).
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
    """Somebody saved a query with its filters to come back to, or (`kept` False) no longer does."""

    event_id: str
    person: str
    time: datetime
    query: Query
    filters: Filters
    kept: bool


@dataclass(frozen=True)
class TopicName:
    """Somebody named the topic whose words these are; an empty name takes that back.

    The words, not a bundle's number of the topic, say which it is, so that a later bundle's topic
    of about the same words inherits the name.
    """

    event_id: str
    person: str
    time: datetime
    words: tuple[str, ...]
    name: str


@dataclass(frozen=True)
class FormerTicket:
    """A ticket was deleted that only some `groups` might see: its id stays theirs, since what
    people asked and judged hangs on it."""

    event_id: str
    time: datetime
    ticket_id: str
    groups: frozenset[str]
    person: str = ""  # nobody's


class Deed(StrEnum):
    """What an audit tells of."""

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
"""What is done to tickets and categories; of other deeds `which` may begin with a person's name."""


@dataclass(frozen=True)
class AuditEntry:
    """Somebody did something: an entry of the audit.

    `which` names what it was done to by its id (or counts it), `where` is the address it came
    from. Neither ever holds a ticket's text or a secret.
    """

    event_id: str
    person: str
    """Empty where nobody is known, as when a sign-in fails under an unknown name."""
    time: datetime
    deed: Deed
    which: str
    where: str

    @property
    def ticket_id(self) -> str:
        """The ticket that it was done to, where `which` begins with one."""
        return self._named("ticket").partition(" ")[0]

    @property
    def category(self) -> str:
        """The category that it was done to, if it was one."""
        return self._named("category")

    def _named(self, kind: str) -> str:
        first, _, named = self.which.partition(" ")
        return named if first == kind and self.deed in TO_TICKETS else ""


HistoryEvent = Asking | SavedQuery | TopicName | FormerTicket | AuditEntry
