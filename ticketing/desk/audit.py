"""The audit: who did what to which, when and from where."""

import uuid
from collections.abc import Iterator, Sequence
from typing import overload

from ticketing.desk.base import DeskBase
from ticketing.history import AuditEntry, Deed
from ticketing.people import Doer
from ticketing.stores.history import History
from ticketing.times import utc_now


class AuditTrail(Sequence[AuditEntry]):
    """All entries, the last first, of which only those that are asked for are read."""

    def __init__(self, store: History):
        self._store = store

    def __len__(self) -> int:
        return self._store.count_events(AuditEntry)

    @overload
    def __getitem__(self, at: int) -> AuditEntry: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[AuditEntry]: ...

    def __getitem__(self, at: int | slice) -> AuditEntry | Sequence[AuditEntry]:
        if isinstance(at, int):
            return self._store.last_events(AuditEntry, 1, at)[0]
        start, stop, _ = at.indices(len(self))
        return self._store.last_events(AuditEntry, stop - start, start)


class Audit(DeskBase):
    """What people did, for good."""

    def record(self, by: Doer, deed: Deed, which: str = "") -> None:
        """Append an entry; `which` is an id, a name or a number, never text of a ticket."""
        entry = AuditEntry(uuid.uuid4().hex, by.name, utc_now(), deed, which, by.where)
        self.store.add_events([entry])

    def audit_trail(self) -> AuditTrail:
        """What people did, the last first."""
        return AuditTrail(self.store)

    def audit_entries(self) -> Iterator[AuditEntry]:
        """What people did, the first first."""
        return self.store.events(AuditEntry)
