"""Line charts of shares by week, one colour per bundle: coordinates in percent for an SVG drawn by
the server."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise

from ticketing.evaluation.quality import Switch, WeekOfBundle, monday
from ticketing.plurals import percent

COLOURS = 5
"""Number of colours in the style sheet; the sixth bundle gets the first one again."""

MEASURES = {
    "yes_at_1": "YES at rank 1",
    "yes_in_ten": "YES among the ten",
    "judged_at_10": "Judged among the ten",
    "no_match": "Without a good match",
}
"""The measures drawn, with their names."""


@dataclass(frozen=True)
class Dot:
    """A week's share: position from the left and the top in percent, and words."""

    x: float
    y: float
    colour: int
    words: str


@dataclass(frozen=True)
class Line:
    """A line from one dot of a bundle to its next."""

    start: Dot
    end: Dot


@dataclass(frozen=True)
class Chart:
    """The chart of one measure; `switches` are positions of the weeks in which the serving bundle
    changed."""

    name: str
    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]
    switches: tuple[float, ...]
    summary: str


def quality_charts(weeks: Sequence[WeekOfBundle], switches: Sequence[Switch]) -> list[Chart]:
    """A chart of each measure that any week has."""
    colours = bundle_colours(weeks)
    charts = []
    for field, name in MEASURES.items():
        dots: dict[str, list[Dot]] = {}
        for item in weeks:
            share = getattr(item.quality, field)
            if share is not None:
                words = f"week of {day(item.week)}, model {item.bundle_id[:12]}: {percent(share)}"
                x, y = _across(item.week, weeks), round(100 - 100 * share, 2)
                dot = Dot(x, y, colours[item.bundle_id], words)
                dots.setdefault(item.bundle_id, []).append(dot)
        if dots:
            charts.append(_chart(name, dots, weeks, switches))
    return charts


def bundle_colours(weeks: Sequence[WeekOfBundle]) -> dict[str, int]:
    """The colour number of each bundle, in order of appearance."""
    return {
        bundle: i % COLOURS + 1
        for i, bundle in enumerate(dict.fromkeys(item.bundle_id for item in weeks))
    }


def day(moment: date | datetime) -> str:
    """A day as in `4 March 2014`."""
    return f"{moment.day} {moment:%B %Y}"


def _chart(
    name: str,
    dots: dict[str, list[Dot]],
    weeks: Sequence[WeekOfBundle],
    switches: Sequence[Switch],
) -> Chart:
    every = [dot for some in dots.values() for dot in some]
    lines = [Line(*two) for some in dots.values() for two in pairwise(some)]
    first, last = weeks[0].week, weeks[-1].week
    changed = [monday(switch.time.date()) for switch in switches]
    places = [_across(week, weeks) for week in changed if first <= week <= last]
    summary = f"{name} by week: {every[0].words}"
    if len(every) > 1:
        summary += f"; {max(every, key=lambda dot: dot.x).words}"
    return Chart(name, tuple(every), tuple(lines), tuple(places), summary)


def _across(week: date, weeks: Sequence[WeekOfBundle]) -> float:
    """Position of a week between the first one, at 2, and the last, at 98, so that dots at the ends
    are not cut."""
    days = (weeks[-1].week - weeks[0].week).days
    return round(2 + 96 * (week - weeks[0].week).days / days, 2) if days else 50.0
