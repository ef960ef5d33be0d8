"""The parts of a score as a table whose printed figures add up exactly."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ticketing.tickets import Part

COMPONENTS = {
    "SUB1": "subject",
    "DESC1": "description",
    "SUB2": "subject",
    "DESC2": "description",
    "SOL2": "solution",
}
WHOLE = {"age": "time apart"}
"""Parts that belong to no pair of components, in words."""

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
    """A pair of components: its distance by channel ("–" where there is none) and their sum.

    A part that belongs to no pair is a row of its own, with its sum alone.
    """

    name: str
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


def parts_table(parts: Sequence[Part], labels: Mapping[str, str]) -> PartsTable:
    """Component pairs down, channels across, in the order in which the parts name them.

    `labels` are what people call the channels. Last come the parts that belong to no pair.
    """
    units = round_to_sum([part.distance for part in parts])
    cells: dict[str, dict[str, int]] = {}  # by row, by channel
    for part, unit in zip(parts, units, strict=True):
        row = cells.setdefault(_name(part), {})
        row[part.channel] = row.get(part.channel, 0) + unit
    paired = dict.fromkeys(part.channel for part in parts if part.query_component)
    everything = dict.fromkeys([*paired, *(part.channel for part in parts)])
    longest = max((sum(row.values()) for row in cells.values()), default=0)
    columns = [[row[channel] for row in cells.values() if channel in row] for channel in paired]
    return PartsTable(
        channels=tuple(labels[channel] for channel in paired),
        rows=tuple(_row(name, row, paired, everything, longest) for name, row in cells.items()),
        totals=tuple(_figure(sum(column)) for column in columns),
        total=_figure(sum(units)),
    )


def _row(
    name: str, units: dict[str, int], paired: Iterable[str], everything: Iterable[str], longest: int
) -> PartsRow:
    bars, start = [], 0.0
    for channel in everything:
        length = 100 * units.get(channel, 0) / max(longest, 1)
        bars.append(Bar(channel, round(start, 2), round(length, 2)))
        start += length
    cells = tuple(_figure(units.get(channel)) for channel in paired)
    return PartsRow(name, cells, _figure(sum(units.values())), tuple(bars))


def _name(part: Part) -> str:
    """What a part's row is called: `subject – description`, or `time apart`."""
    if not part.query_component:
        return WHOLE.get(part.channel, part.channel)
    return f"{_component(part.query_component)} – {_component(part.ticket_component)}"


def _component(name: str) -> str:
    """In words, also where components are merged into one: `SUB1+DESC1`."""
    return " + ".join(COMPONENTS.get(part, part) for part in name.split("+"))


def _figure(unit: int | None) -> str:
    return "–" if unit is None else f"{unit / UNITS:.3f}"
