"""`ticketing check`: is anything damaged, and what is to be done?"""

import sys
from collections.abc import Iterator
from contextlib import closing

import click

from ticketing.cli.actor import audit
from ticketing.cli.printing import say
from ticketing.cli.waiting import shown_waiting
from ticketing.desk import open_known_desk
from ticketing.errors import StoreAway, StoreError, StoreFull, TicketingError
from ticketing.history import Deed
from ticketing.plurals import counted
from ticketing.redaction import masked
from ticketing.settings import Settings, load_settings
from ticketing.stores.damage import Finding

UNCHECKED = 3
"""Exit code if it is unknown whether anything is damaged."""


@click.command()
@click.option(
    "--repair", is_flag=True, help="Repair what can be repaired, and move the rest aside."
)
def command(repair: bool) -> None:
    """Check all data of the desk for damage, and say what to do.

    All data is compared with its checksums. For each damage one line says where it is, what it is,
    and what to do. Nothing is changed without --repair, which encodes damaged codes again, deletes
    data that belongs to no ticket or bundle, and moves the rest to the folder `damaged` in the
    home. The exit code is 1 if damage is left. It is 3 if the store is away or takes no writes, so
    that not everything can be checked.
    """
    settings = load_settings()
    try:
        code = _checked(settings, repair)
    except (StoreAway, StoreFull) as error:
        say(masked(f"Not everything can be checked: {error}"))
        code = UNCHECKED
    sys.exit(code)


def _checked(settings: Settings, repair: bool) -> int:
    """Print all damage, and mend it if requested; returns the exit code. Raises StoreAway,
    StoreFull."""
    try:
        desk = open_known_desk(settings)
    except (StoreAway, StoreFull):
        raise
    except StoreError as error:
        say(f"store: {error}")
        return 1
    with closing(desk):
        findings, found, left = desk.findings(), 0, 0
        while finding := _next(findings):
            found += 1
            mended, said = _mended(finding) if repair else ("", str(finding))
            if mended:
                audit(desk, Deed.MENDED, finding.where)
            left += not mended
            say(said)
        gone = desk.judged_and_gone() if not found else 0
    if gone:
        say(f"{counted(gone, 'judged ticket')} not here any more, which is no damage.")
    say(f"{counted(found, 'finding')}, {left} left." if found else "Nothing is damaged.")
    return 1 if left else 0


def _mended(finding: Finding) -> tuple[str, str]:
    """Mend a finding; returns what was done, if anything, and what to print. Raises StoreAway."""
    if not finding.mend:
        return "", str(finding)
    try:
        mended = finding.mend()
    except StoreAway:
        raise
    except (TicketingError, OSError) as error:
        return "", f"{finding} Not mended: {error}"
    return mended, f"{finding} Mended: {mended.rstrip('.')}."


def _next(findings: Iterator[Finding]) -> Finding | None:
    """The next finding; shows progress meanwhile."""
    with shown_waiting("Checking"):
        return next(findings, None)
