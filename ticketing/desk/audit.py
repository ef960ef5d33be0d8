"""The audit: who did what to which, when and from where."""

import uuid
from collections.abc import Iterator

from ticketing.desk.base import DeskBase
from ticketing.desk.trail import Trail
from ticketing.history import AuditEntry, Deed
from ticketing.people import Doer
from ticketing.times import utc_now


class Audit(DeskBase):
    """What people did, for good."""

    def record(self, by: Doer, deed: Deed, which: str = "") -> None:
        """Append an entry; `which` is an id, a name or a number, never text of a ticket."""
        entry = AuditEntry(uuid.uuid4().hex, by.name, utc_now(), deed, which, by.where)
        self.store.add_events([entry])

    def audit_trail(self) -> Trail[AuditEntry]:
        """What people did, the last first."""
        return Trail(self.store, AuditEntry)

    def audit_entries(self) -> Iterator[AuditEntry]:
        """What people did, the first first."""
        return self.store.events(AuditEntry)
