"""The parts of a score as a table whose printed figures add up exactly."""

from collections.abc import Sequence
from dataclasses import dataclass

from ticketing.tickets import Part

CHANNELS = {"h": "Sentence", "E": "Words", "T": "Topics"}
COMPONENTS = {
    "SUB1": "subject",
    "DESC1": "description",
    "SUB2": "subject",
    "DESC2": "description",
    "SOL2": "solution",
}
UNITS = 1000
"""The table counts in thousandths, the last printed digit."""


@dataclass(frozen=True)
class Bar:
    """A piece of a row's bar: where it starts and how long it is, in percent of the longest row."""

    channel: str
    start: float
    length: float


@dataclass(frozen=True)
class PartsRow:
    """A pair of components: its distance by channel ("–" where there is none) and their sum."""

    query_component: str
    ticket_component: str
    cells: tuple[str, ...]
    total: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class PartsTable:
    """All rows, and sums by channel; every sum is the sum of the printed figures."""

    channels: tuple[str, ...]
    rows: tuple[PartsRow, ...]
    totals: tuple[str, ...]
    total: str


def round_to_sum(values: Sequence[float]) -> list[int]:
    """Values >= 0 as whole thousandths whose sum is the rounded sum (largest remainders go up)."""
    scaled = [value * UNITS for value in values]
    rounded = [int(value) for value in scaled]
    missing = round(sum(scaled)) - sum(rounded)
    by_remainder = sorted(range(len(scaled)), key=lambda i: rounded[i] - scaled[i])
    for i in by_remainder[:missing]:
        rounded[i] += 1
    return rounded


def parts_table(parts: Sequence[Part]) -> PartsTable:
    """Component pairs down, channels across, in the order in which the parts name them."""
    units = round_to_sum([part.distance for part in parts])
    cells = {
        (part.query_component, part.ticket_component, part.channel): unit
        for part, unit in zip(parts, units, strict=True)
    }
    pairs = list(dict.fromkeys((query, ticket) for query, ticket, _ in cells))
    channels = tuple(dict.fromkeys(channel for _, _, channel in cells))
    grid = [[cells.get((*pair, channel)) for channel in channels] for pair in pairs]
    longest = max((_total(row) for row in grid), default=0)
    return PartsTable(
        channels=tuple(CHANNELS.get(channel, channel) for channel in channels),
        rows=tuple(
            _row(pair, row, channels, longest) for pair, row in zip(pairs, grid, strict=True)
        ),
        totals=tuple(_figure(_total(column)) for column in zip(*grid, strict=True)),
        total=_figure(sum(units)),
    )


def _row(pair: tuple[str, str], units: list[int | None], channels, longest: int) -> PartsRow:
    bars, start = [], 0.0
    for channel, unit in zip(channels, units, strict=True):
        length = 100 * (unit or 0) / max(longest, 1)
        bars.append(Bar(channel, round(start, 2), round(length, 2)))
        start += length
    query, ticket = map(_component, pair)
    cells = tuple(_figure(unit) for unit in units)
    return PartsRow(query, ticket, cells, _figure(_total(units)), tuple(bars))


def _component(name: str) -> str:
    """In words, also where components are merged into one: `SUB1+DESC1`."""
    return " + ".join(COMPONENTS.get(part, part) for part in name.split("+"))


def _total(units) -> int:
    return sum(unit or 0 for unit in units)


def _figure(unit: int | None) -> str:
    return "–" if unit is None else f"{unit / UNITS:.3f}"
