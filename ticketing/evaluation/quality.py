"""How good the answers were, by week and bundle: from what was asked, shown and judged since."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise

from ticketing.history import Asking
from ticketing.jobs import Job
from ticketing.tickets import Grade, Label, Outlook


@dataclass(frozen=True)
class Quality:
    """What became of the queries asked in some time.

    `judged` are those of which a shown ticket was judged; the shares of YES are of these.
    `judged_at_10` is the mean share of their shown tickets that were judged, since unjudged is not
    wrong. `no_match` is the share of all askings that nothing matched well. A share of nothing is
    None.
    """

    asked: int
    judged: int
    yes_at_1: float | None
    yes_in_ten: float | None
    judged_at_10: float | None
    no_match: float | None


@dataclass(frozen=True)
class WeekOfBundle:
    """The quality of a week (its Monday) under a bundle."""

    week: date
    bundle_id: str
    quality: Quality


@dataclass(frozen=True)
class Switch:
    """A bundle that came to serve: what was said of it then, and the quality before and after,
    each until the neighbouring switch."""

    time: datetime
    bundle_id: str
    said: str
    before: Quality
    after: Quality


Grades = Mapping[tuple[str, str], Grade]
"""By query id and ticket id."""


def grades_of(labels: Iterable[Label]) -> dict[tuple[str, str], Grade]:
    """What all judges together think of each ticket for each query."""
    return {(label.query.id, label.ticket_id): label.grade for label in labels}


def weekly(askings: Iterable[Asking], grades: Grades) -> list[WeekOfBundle]:
    """Every week in which something was asked, by bundle, in the order of time."""
    groups: defaultdict[tuple[date, str], list[Asking]] = defaultdict(list)
    first: dict[tuple[date, str], Asking] = {}
    for asking in sorted(askings, key=lambda asking: asking.time):
        key = monday(asking.time.date()), asking.bundle_id
        groups[key].append(asking)
        first.setdefault(key, asking)
    ordered = sorted(groups, key=lambda key: (key[0], first[key].time))
    return [WeekOfBundle(*key, quality(groups[key], grades)) for key in ordered]


def switches(promotions: Iterable[Job], askings: Iterable[Asking], grades: Grades) -> list[Switch]:
    """What each switch of the serving bundle changed, the last first; `promotions` that came to
    nothing are left out."""
    asked = list(askings)
    took = sorted((job for job in promotions if _serves(job)), key=lambda job: job.created)
    times = [datetime.min, *(job.created for job in took), datetime.max]
    spans = [
        quality([a for a in asked if start <= a.time < end], grades)
        for start, end in pairwise(times)
    ]
    found = [
        Switch(job.created, job.bundle_id, job.message, before, after)
        for job, (before, after) in zip(took, pairwise(spans), strict=True)
    ]
    return found[::-1]


def _serves(job: Job) -> bool:
    return job.message.startswith(f"Bundle {job.bundle_id} serves")


def quality(askings: Iterable[Asking], grades: Grades) -> Quality:
    """What became of these queries."""
    asked = list(askings)
    given = [[grades.get((a.query.id, ticket)) for ticket in a.shown[:10]] for a in asked]
    judged = [some for some in given if any(grade is not None for grade in some)]
    return Quality(
        asked=len(asked),
        judged=len(judged),
        yes_at_1=_share([some[0] == Grade.YES for some in judged]),
        yes_in_ten=_share([Grade.YES in some for some in judged]),
        judged_at_10=_share(
            [sum(grade is not None for grade in some) / len(some) for some in judged]
        ),
        no_match=_share([asking.outlook == Outlook.NOTHING for asking in asked]),
    )


def monday(day: date) -> date:
    """The first day of a day's week."""
    return day - timedelta(days=day.weekday())


def _share(values: list[bool] | list[float]) -> float | None:
    return sum(values) / len(values) if values else None
