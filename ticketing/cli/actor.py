"""The actor of commands in the audit: the operating system's user."""

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager

from ticketing.cli.printing import say
from ticketing.desk import Desk
from ticketing.errors import StoreFull
from ticketing.history import Deed
from ticketing.limits import without_halves
from ticketing.people import Actor
from ticketing.tickets import ModelKind

PLACE = "command line"


def command_line() -> Actor:
    """The user that runs this process, from the system and not from environment variables."""
    try:
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # as in a container
        name = str(os.getuid())
    return Actor(f"cli:{name}", PLACE)


def audit(desk: Desk, deed: Deed, which: str) -> None:
    """Record a deed of the command line's user. A file name may be any bytes; those that are no
    characters become question marks."""
    desk.record(command_line(), deed, without_halves(which))


def audit_written(desk: Desk, which: str) -> None:
    """As `audit`, for a file already written. It does not fail if the store takes no writes, which
    is when a backup is wanted."""
    try:
        audit(desk, Deed.EXPORTED, which)
    except StoreFull as error:
        say(f"ticketing: The audit does not have this export: {error}", error=True)


@contextmanager
def audited_switch(desk: Desk) -> Iterator[None]:
    """Context manager: record in the audit which bundle of a kind serves after the block, if it
    changed."""
    before = {kind: desk.store.serving(kind) for kind in ModelKind}
    yield
    for kind, served in before.items():
        if (serving := desk.store.serving(kind)) != served:
            audit(desk, Deed.PROMOTED, f"bundle {serving}")
