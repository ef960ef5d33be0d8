"""The audit: who did what to which, when and from where."""

import uuid
from collections.abc import Iterator

from ticketing.desk.base import DeskBase
from ticketing.desk.trail import Trail
from ticketing.history import AuditEntry, Deed
from ticketing.people import Actor
from ticketing.times import utc_now


class Audit(DeskBase):
    """Permanent records of what people did."""

    def record(self, by: Actor, deed: Deed, which: str = "", event_id: str = "") -> bool:
        """Append an entry. `which` is an id, a name or a number, never text of a ticket. Returns
        whether the entry is new.

        If `event_id` is given, only the first entry with it is kept for each person, deed and kind
        of object (the first word of `which`). So nobody can suppress an entry about somebody else.
        """
        kind = which.partition(" ")[0]
        own = f"{deed}: {kind}: {by.name}: {event_id}" if event_id else uuid.uuid4().hex
        entry = AuditEntry(own, by.name, utc_now(), deed, which, by.where)
        return self.store.add_events([entry]) > 0

    def audit_trail(self) -> Trail[AuditEntry]:
        """Audit entries, newest first."""
        return Trail(self.store, AuditEntry)

    def audit_entries(self) -> Iterator[AuditEntry]:
        """Audit entries, oldest first."""
        return self.store.events(AuditEntry)
