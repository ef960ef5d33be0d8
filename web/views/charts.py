"""Bar charts of shares by month: coordinates in percent for an SVG drawn by the server."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from ticketing.plurals import counted, percent
from ticketing.retrieval.topics import MonthCount

TOPS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
"""Possible upper ends of a scale."""

FILLED = 0.8
"""Width of a bar as a share of a month's width."""

MOST_YEARS = 8
"""Maximum number of years labelled below the bars."""


@dataclass(frozen=True)
class Bar:
    """A month: its position and height in percent; None without tickets."""

    x: float
    height: float | None
    month: MonthCount

    @property
    def words(self) -> str:
        """A month in words, as in `March 2014: 3 of 25 tickets (12 %)`."""
        name = month_name(self.month.month)
        if self.month.share is None:
            return f"{name}: no tickets at all"
        of = counted(self.month.of, "ticket")
        return f"{name}: {self.month.tickets:,} of {of} ({percent(self.month.share)})"


@dataclass(frozen=True)
class MonthChart:
    """Bars of `width`, one every `step`, in a frame of 100 by 100 whose height stands for the share
    `top`.

    `years` are positions and labels of Januaries; `summary` describes the chart in words.
    """

    bars: tuple[Bar, ...]
    width: float
    step: float
    top: float
    years: tuple[tuple[float, int], ...]
    summary: str

    @property
    def outline(self) -> str:
        """All bars as one SVG path."""
        return "".join(
            f"M{bar.x} 100v-{bar.height}h{self.width}V100z" for bar in self.bars if bar.height
        )

    @property
    def gaps(self) -> str:
        """The months without tickets as one SVG path."""
        return "".join(
            f"M{bar.x} 0h{self.step}V100h-{self.step}z" for bar in self.bars if bar.height is None
        )


def month_name(month: date) -> str:
    """A month as in `March 2014`."""
    return f"{month:%B} {month.year}"


def month_chart(months: Sequence[MonthCount]) -> MonthChart:
    """The chart of consecutive months; there may be none."""
    step = 100 / max(len(months), 1)
    highest = max((month.share or 0 for month in months), default=0)
    top = next(top for top in TOPS if top >= highest)
    bars = tuple(
        Bar(round(i * step, 3), _height(month, top), month) for i, month in enumerate(months)
    )
    years = [(round(i * step, 3), m.month.year) for i, m in enumerate(months) if m.month.month == 1]
    every = -(-len(years) // MOST_YEARS) or 1
    return MonthChart(
        bars, round(step * FILLED, 3), round(step, 3), top, tuple(years[::every]), _summary(months)
    )


def _height(month: MonthCount, top: float) -> float | None:
    return None if month.share is None else round(100 * month.share / top, 2)


def _summary(months: Sequence[MonthCount]) -> str:
    if not months:
        return "No ticket has a date."
    ends = f"Share of tickets by month, {month_name(months[0].month)} to"
    highest = max(months, key=lambda month: month.share or 0)
    said = f"{ends} {month_name(months[-1].month)}"
    if not highest.share:
        return f"{said}: none."
    empty = sum(month.share is None for month in months)
    without = f"; {counted(empty, 'month')} without any ticket" if empty else ""
    return f"{said}: at most {percent(highest.share)}, in {month_name(highest.month)}{without}."
