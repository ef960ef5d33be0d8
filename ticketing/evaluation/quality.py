"""Quality of past answers by week and bundle, from what was asked, shown and judged."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise

from ticketing.history import Asking
from ticketing.jobs import Job
from ticketing.recommendations import Outlook
from ticketing.tickets import Grade


@dataclass(frozen=True)
class Quality:
    """Quality of the answers to the queries of a period.

    `judged` is the number of queries with a judged ticket among those shown; the shares of YES
    refer to these. `judged_at_10` is the mean share of their shown tickets that were judged; an
    unjudged ticket is not wrong. `no_match` is the share of all queries that nothing matched well.
    A share is None if there is nothing to count.
    """

    asked: int
    judged: int
    yes_at_1: float | None
    yes_in_ten: float | None
    judged_at_10: float | None
    no_match: float | None


@dataclass(frozen=True)
class WeekOfBundle:
    """The quality of a week (given by its Monday) under a bundle."""

    week: date
    bundle_id: str
    quality: Quality


@dataclass(frozen=True)
class Switch:
    """A change of the serving bundle: the message then, and the quality before and after, each up
    to the neighbouring change."""

    time: datetime
    bundle_id: str
    said: str
    before: Quality
    after: Quality


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one asking: the share of its shown tickets that were judged (0 if none), and
    whether the first one and whether any of them was a YES."""

    time: datetime
    bundle_id: str
    no_match: bool
    judged: float
    yes_at_1: bool
    yes_in_ten: bool


Grades = Mapping[str, Mapping[str, Grade]]
"""Grades by query id and ticket id."""


def outcomes(askings: Iterable[Asking], grades: Grades) -> Iterator[Outcome]:
    """The outcome of each asking, in order."""
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
    """All weeks in which something was asked, by bundle, in chronological order."""
    groups: defaultdict[tuple[date, str], list[Outcome]] = defaultdict(list)
    for outcome in asked:
        groups[monday(outcome.time.date()), outcome.bundle_id].append(outcome)
    first = {key: min(outcome.time for outcome in group) for key, group in groups.items()}
    ordered = sorted(groups, key=lambda key: (key[0], first[key]))
    return [WeekOfBundle(*key, quality(groups[key])) for key in ordered]


def switches(promotions: Iterable[Job], asked: Iterable[Outcome]) -> list[Switch]:
    """The effect of each change of the serving bundle, newest first; `promotions` that were refused
    are left out."""
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
    """The quality of these queries."""
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
    """The Monday of a day's week."""
    return day - timedelta(days=day.weekday())


def _share(values: list[bool] | list[float]) -> float | None:
    return sum(values) / len(values) if values else None
