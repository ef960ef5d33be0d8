"""Derives one label for each query and ticket from append-only judgment events."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from statistics import median_low

from ticketing.tickets import Grade, Judgment, Label, Query

_TEST_PERCENT = 20


def derive_labels(events: Iterable[Judgment]) -> list[Label]:
    """The labels of the events, ordered by query id and ticket id.

    The latest event of each judge counts (by time, then in the given order), and an undo removes
    the judge's grade. The grades of several judges are combined by their lower median, so that one
    generous judge of two does not decide.
    """
    queries: dict[str, Query] = {}
    grades: defaultdict[tuple[str, str], list[Grade]] = defaultdict(list)
    for event in latest(events):
        if event.grade is not None:
            queries[event.query.id] = event.query
            grades[event.query.id, event.ticket_id].append(event.grade)
    return [
        Label(queries[query_id], ticket_id, median_low(votes))
        for (query_id, ticket_id), votes in sorted(grades.items())
    ]


def latest(events: Iterable[Judgment]) -> list[Judgment]:
    """The latest event (by time, then in the given order) of each judge for each query and ticket,
    in chronological order."""
    found: dict[tuple[str, str, str], Judgment] = {}
    for event in sorted(events, key=lambda event: event.time):
        key = event.query.id, event.ticket_id, event.judge
        found.pop(key, None)  # moves the key to the end
        found[key] = event
    return list(found.values())


def is_test(query_id: str) -> bool:
    """Whether this is a test query, which no training uses and on which bundles are compared: one
    in five, by a hash of its id."""
    digest = hashlib.sha256(b"held out\0" + query_id.encode()).digest()
    return int.from_bytes(digest[:8], "big") % 100 < _TEST_PERCENT
