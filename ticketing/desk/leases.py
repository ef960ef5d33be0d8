"""A lease held for as long as a block lasts, whatever becomes of this process."""

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
"""How long a lease outlives whoever held it."""

RENEW_SECONDS = 3.0
"""How often it is renewed, and asked for by whoever waits."""


class HeldLease:
    """A lease that this process has, until it is `lost`, as when the process stood still: what was
    begun with it may be done by others since, so it is never found again."""

    def __init__(self, store: Leases, name: str):
        self._store = store
        self._name = name
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
        self.lost = False

    def take(self) -> bool:
        """Take it; False where another one has it."""
        return self._store.take_lease(self._name, self._holder, LEASE_SECONDS)

    def renew(self) -> None:
        """Keep it; lost, where another one has it or had it meanwhile."""
        taken = (self._name, self._holder, LEASE_SECONDS)
        self.lost = self.lost or not self._store.take_lease(*taken, renewed=True)

    def drop(self) -> None:
        """Give it back."""
        self._store.drop_lease(self._name, self._holder)


class Taken(Exception):
    """Another one holds the lease."""


@contextmanager
def held(store: Leases, name: str, *, wait: bool) -> Iterator[HeldLease]:
    """Hold a lease during the block.

    With `wait` one whose holder may be dead is waited for until it would have run out. Raises
    Taken where another one has it.
    """
    lease = HeldLease(store, name)
    until = time.monotonic() + (LEASE_SECONDS + RENEW_SECONDS if wait else 0)
    while not lease.take():
        if time.monotonic() >= until:
            raise Taken
        time.sleep(min(RENEW_SECONDS, 1.0))
    try:
        with repeating(lease.renew, RENEW_SECONDS):  # a store that is away gives it to nobody else
            yield lease
    finally:
        with suppress(TicketingError):  # it runs out
            lease.drop()
