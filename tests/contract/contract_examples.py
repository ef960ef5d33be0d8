"""Tickets, events and codes that the contract's tests speak of."""

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from ticketing.history import Asking, AuditEntry, Deed, FormerTicket, SavedQuery, TopicName
from ticketing.recommendations import Outlook
from ticketing.stores.blocks import CodeRow
from ticketing.tickets import Filters, Grade, Judgment, Query, Ticket, Verdict
from ticketing.times import utc_now

PUMP = Ticket(
    "T-2",
    "Pump trips",
    "The lube oil pump trips at start.",
    "Replaced the relay.",
    product="SGT-400",
    status="Closed",
    created=datetime(2013, 5, 1, 8, 30),
)
FLAME = Ticket(
    "T-10",
    "Flame out",
    "Flame lost in can 3 after the pump changed over.",
    product="SGT-800",
    status="Open",
    created=datetime(2014, 1, 1),
)
BARE = Ticket("A-1", "Vibration")
ALL = (PUMP, FLAME, BARE)

EVENT = Judgment(
    event_id="e1",
    query=Query("pump", "does not start"),
    ticket_id="T-2",
    grade=Grade.YES,
    judge="ann",
    time=datetime(2024, 2, 3, 4, 5, 6, 789),
    rank=3,
    score=4.25,
    bundle_id="b1",
    note="as in \u2028 May",
)

FILTERED = {
    "product": (Filters(product="SGT-400"), ["T-2"]),
    "status": (Filters(status="Open"), ["T-10"]),
    "since is inclusive": (Filters(created_since=datetime(2014, 1, 1)), ["T-10"]),
    "before is exclusive": (Filters(created_before=datetime(2014, 1, 1)), ["T-2"]),
    "a date filter drops the undated": (
        Filters(created_since=datetime(1900, 1, 1)),
        ["T-10", "T-2"],
    ),
    "only with a solution": (Filters(has_solution=True), ["T-2"]),
    "all must hold": (Filters(product="SGT-400", status="Open"), []),
    "none restricts nothing": (Filters(), ["A-1", "T-10", "T-2"]),
}
OF_GROUPS = {
    "all": (None, ["A-1", "T-10", "T-2"]),
    "no group": (set(), ["A-1"]),
    "one group": ({"service"}, ["A-1", "T-2"]),
    "any group will do": ({"service", "lab", "other"}, ["A-1", "T-10", "T-2"]),
    "a stranger's group": ({"strange"}, ["A-1"]),
}
grouped = pytest.mark.parametrize(
    ("filters", "ids"),
    [
        (Filters(groups=None if groups is None else frozenset(groups)), ids)
        for groups, ids in OF_GROUPS.values()
    ],
    ids=OF_GROUPS,
)
HIDDEN = [
    replace(PUMP, groups=frozenset(["service", "sales"])),
    replace(FLAME, groups=frozenset(["lab"])),
    BARE,
]
filtered = pytest.mark.parametrize(("filters", "ids"), FILTERED.values(), ids=FILTERED)

any_words = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=6)
at_most_sixty = settings(
    max_examples=60,
    deadline=None,
    # Every store's class runs the contract's one test.
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.differing_executors,
    ],
)


def code(ticket: Ticket, fill: int, width: int = 4, topic: int | None = None) -> CodeRow:
    return CodeRow(ticket.id, ticket.version, bytes([fill]) * width, topic)


def located(row: CodeRow, *vector: int) -> CodeRow:
    return replace(row, vector=np.array(vector, np.int8).tobytes())


def scanned(block) -> dict[str, int]:
    """First byte of each searchable row, by ticket id."""
    return dict(zip(block.ids, (row[0] for row in block.codes[block.live].tolist()), strict=True))


def event(number: int, **changes) -> Judgment:
    return replace(EVENT, event_id=f"n{number}", **changes)


VERDICT = Verdict(
    "v1", "Pump \u2028 trips", "SGT-400", True, "ann", datetime(2024, 2, 3, 4, 5), "c1"
)
"""Its subject holds what Unicode calls the end of a line."""


def verdict(number: int, **changes) -> Verdict:
    return replace(VERDICT, event_id=f"v{number}", **changes)


def recent(time: datetime) -> bool:
    """Naive UTC, and within the last minute."""
    return timedelta(0) <= utc_now() - time < timedelta(minutes=1)


ASKING = Asking(
    "a1",
    "ann",
    datetime(2024, 2, 3, 4, 5, 6, 789),
    EVENT.query,
    Filters(product="SGT-400", created_since=datetime(2013, 1, 1)),
    "b1",
    Outlook.POSSIBLE,
    0.25,
    ("T-2", "T-10"),
)
SAVED = SavedQuery("s1", "ann", ASKING.time, EVENT.query, ASKING.filters, kept=True)
FORMER = FormerTicket("f1", datetime(2024, 1, 2), "T-2", frozenset(["service", "sales"]))
NAMED = TopicName("n1", "ann", ASKING.time, ("pump", "oil"), "Pumps \u2028")
AUDITED = AuditEntry("d1", "ann", ASKING.time, Deed.PERSON_CHANGED, "bob: admin", "192.0.2.7")
