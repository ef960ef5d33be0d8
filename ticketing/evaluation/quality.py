"""How good the answers were, by week and bundle: from what was asked, shown and judged since."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise

from ticketing.history import Asking
from ticketing.jobs import Job
from ticketing.recommendations import Outlook
from ticketing.tickets import Grade, Label


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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a query asked once: the share of its shown tickets that were judged (0 if
    none), whether the first and whether any of them was YES."""

    time: datetime
    bundle_id: str
    no_match: bool
    judged: float
    yes_at_1: bool
    yes_in_ten: bool


Grades = Mapping[str, Mapping[str, Grade]]
"""By query id, by ticket id."""


def grades_of(labels: Iterable[Label]) -> Grades:
    """What all judges together think of each ticket for each query."""
    found: defaultdict[str, dict[str, Grade]] = defaultdict(dict)
    for label in labels:
        found[label.query.id][label.ticket_id] = label.grade
    return dict(found)


def outcomes(askings: Iterable[Asking], grades: Grades) -> Iterator[Outcome]:
    """What became of each asking, one after the other."""
    for asking in askings:
        known = grades.get(asking.query.id, {})
        given = [known.get(ticket) for ticket in asking.shown[:10]] if known else []
        yield Outcome(
            asking.time,
            asking.bundle_id,
            asking.outlook == Outlook.NOTHING,
            sum(grade is not None for grade in given) / (len(given) or 1),
            given[:1] == [Grade.YES],
            Grade.YES in given,
        )


def weekly(asked: Iterable[Outcome]) -> list[WeekOfBundle]:
    """Every week in which something was asked, by bundle, in the order of time."""
    groups: defaultdict[tuple[date, str], list[Outcome]] = defaultdict(list)
    for outcome in asked:
        groups[monday(outcome.time.date()), outcome.bundle_id].append(outcome)
    first = {key: min(outcome.time for outcome in group) for key, group in groups.items()}
    ordered = sorted(groups, key=lambda key: (key[0], first[key]))
    return [WeekOfBundle(*key, quality(groups[key])) for key in ordered]


def switches(promotions: Iterable[Job], asked: Iterable[Outcome]) -> list[Switch]:
    """What each switch of the serving bundle changed, the last first; `promotions` that came to
    nothing are left out."""
    took = sorted((job for job in promotions if _serves(job)), key=lambda job: job.created)
    times = [job.created for job in took]
    spans: list[list[Outcome]] = [[] for _ in range(len(took) + 1)]
    for outcome in asked:
        spans[bisect_right(times, outcome.time)].append(outcome)
    found = [
        Switch(job.created, job.bundle_id, job.message, before, after)
        for job, (before, after) in zip(took, pairwise(map(quality, spans)), strict=True)
    ]
    return found[::-1]


def _serves(job: Job) -> bool:
    return job.message.startswith(f"Bundle {job.bundle_id} serves")


def quality(asked: Sequence[Outcome]) -> Quality:
    """What became of these queries."""
    judged = [outcome for outcome in asked if outcome.judged]
    return Quality(
        asked=len(asked),
        judged=len(judged),
        yes_at_1=_share([outcome.yes_at_1 for outcome in judged]),
        yes_in_ten=_share([outcome.yes_in_ten for outcome in judged]),
        judged_at_10=_share([outcome.judged for outcome in judged]),
        no_match=_share([outcome.no_match for outcome in asked]),
    )


def monday(day: date) -> date:
    """The first day of a day's week."""
    return day - timedelta(days=day.weekday())


def _share(values: list[bool] | list[float]) -> float | None:
    return sum(values) / len(values) if values else None
