"""The audit: who did what to which, when and from where."""

import uuid
from collections.abc import Iterator

from ticketing.desk.base import DeskBase
from ticketing.desk.trail import Trail
from ticketing.history import AuditEntry, Deed
from ticketing.people import Actor
from ticketing.times import utc_now


class Audit(DeskBase):
    """What people did, for good."""

    def record(self, by: Actor, deed: Deed, which: str = "", event_id: str = "") -> bool:
        """Append an entry; `which` is an id, a name or a number, never text of a ticket. Whether it
        is new: of one `event_id` only the first is kept, of each person, each deed and each kind
        of thing, the first word of `which`; so nobody's hides what another has done."""
        kind = which.partition(" ")[0]
        own = f"{deed}: {kind}: {by.name}: {event_id}" if event_id else uuid.uuid4().hex
        entry = AuditEntry(own, by.name, utc_now(), deed, which, by.where)
        return self.store.add_events([entry]) > 0

    def audit_trail(self) -> Trail[AuditEntry]:
        """What people did, the last first."""
        return Trail(self.store, AuditEntry)

    def audit_entries(self) -> Iterator[AuditEntry]:
        """What people did, the first first."""
        return self.store.events(AuditEntry)
