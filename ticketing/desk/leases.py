"""Leases: locks in the store, each held by one process and renewed during a block."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from uuid import uuid4

from ticketing.errors import TicketingError
from ticketing.repeating import repeating
from ticketing.stores.jobs import Leases

LEASE_SECONDS = 15.0
"""Seconds after which a lease that is not renewed expires."""

RENEW_SECONDS = 3.0
"""Seconds between renewals, and the longest wait between attempts."""


class HeldLease:
    """A lease held by this process until it is `lost`, for example because the process was
    suspended. A lost lease is not taken again, because others may have continued the work."""

    def __init__(self, store: Leases, name: str):
        self._store = store
        self._name = name
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
        self.lost = False

    def take(self) -> bool:
        """Take the lease; False if another process holds it."""
        return self._store.take_lease(self._name, self._holder, LEASE_SECONDS)

    def renew(self) -> None:
        """Renew the lease. It is lost if another process holds it or has held it meanwhile."""
        taken = (self._name, self._holder, LEASE_SECONDS)
        self.lost = self.lost or not self._store.take_lease(*taken, renewed=True)

    def drop(self) -> None:
        """Release the lease."""
        self._store.drop_lease(self._name, self._holder)


class Taken(Exception):
    """Another process holds the lease."""


@contextmanager
def held(store: Leases, name: str, *, or_raise: Exception) -> Iterator[HeldLease]:
    """Context manager: hold a lease during the block.

    Waits as long as a lease of a dead process may last. If another process still holds the lease
    then, `or_raise` is raised.
    """
    lease = HeldLease(store, name)
    until = time.monotonic() + LEASE_SECONDS + RENEW_SECONDS
    while not lease.take():
        if time.monotonic() >= until:
            raise or_raise
        time.sleep(min(RENEW_SECONDS, 1.0))
    try:
        with repeating(lease.renew, RENEW_SECONDS):  # no store, no other holder
            yield lease
    finally:
        with suppress(TicketingError):  # it expires by itself
            lease.drop()
