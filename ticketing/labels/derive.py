"""From append-only events to one label a query and ticket."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable

from ticketing.tickets import Grade, Judgment, Label, Query

_TEST_PERCENT = 20


def derive_labels(events: Iterable[Judgment]) -> list[Label]:
    """The labels that events come to, ordered by query id and ticket id.

    Of each judge the latest event counts (by time, then in the order given), and an
    undo takes the judge's grade away. Judges are joined by the lower median, so that
    one generous judge of two does not win.
    """
    queries: dict[str, Query] = {}
    grades: defaultdict[tuple[str, str], list[Grade]] = defaultdict(list)
    for event in latest(events):
        if event.grade is not None:
            queries[event.query.id] = event.query
            grades[event.query.id, event.ticket_id].append(event.grade)
    return [
        Label(queries[query_id], ticket_id, _lower_median(votes))
        for (query_id, ticket_id), votes in sorted(grades.items())
    ]


def latest(events: Iterable[Judgment]) -> list[Judgment]:
    """The latest event, by time and then in the order given, of each judge for each query and
    ticket; in the order of time."""
    found: dict[tuple[str, str, str], Judgment] = {}
    for event in sorted(events, key=lambda event: event.time):
        key = event.query.id, event.ticket_id, event.judge
        found.pop(key, None)  # its place is that of the last event
        found[key] = event
    return list(found.values())


def is_test(query_id: str) -> bool:
    """Whether this is a test query, kept from every training to compare bundles: one in five, by
    a hash of its id."""
    digest = hashlib.sha256(b"held out\0" + query_id.encode()).digest()
    return int.from_bytes(digest[:8], "big") % 100 < _TEST_PERCENT


def _lower_median(grades: list[Grade]) -> Grade:
    return sorted(grades)[(len(grades) - 1) // 2]
