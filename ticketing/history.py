"""What is remembered of yesterday: who asked what and was told what, and names people gave.

All are append-only events; `event_id` makes recording idempotent, `time` is naive UTC.
"""

from dataclasses import dataclass
from datetime import datetime

from ticketing.tickets import Filters, Outlook, Query


@dataclass(frozen=True)
class Asking:
    """Somebody asked, and this is what was answered then.

    `outlook` and `chance` are those of the answer; `shown` are the ids of the tickets shown, the
    best first, under the bundle `bundle_id`.
    """

    event_id: str
    person: str
    time: datetime
    query: Query
    filters: Filters
    bundle_id: str
    outlook: Outlook
    chance: float
    shown: tuple[str, ...]


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


HistoryEvent = Asking | SavedQuery | TopicName
