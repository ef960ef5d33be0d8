"""One table of what was asked, what came of it, which faults there were, and what is there."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tests.soak.comparison import OfThemselves
from tests.soak.faults import Met
from tests.soak.ledger import ANSWERED, Ledger
from ticketing.evaluation.text_table import table_text

Rows = Iterator[Sequence[str]]


def whole_table(
    ledger: Ledger,
    met: Sequence[Met],
    figures: Mapping[str, int],
    of_themselves: OfThemselves,
) -> list[str]:
    """Parts below each other, each with a heading."""
    asked = requests(ledger), errors(ledger)
    return table_of(*asked, _faults(met), _processes(of_themselves), at_the_end(figures))


def table_of(*parts: Rows) -> list[str]:
    """Parts below each other."""
    rows = [row for part in parts for row in (*part, ())]
    width = max(map(len, rows))
    return table_text([[*row, *[""] * (width - len(row))] for row in rows])


def requests(ledger: Ledger) -> Rows:
    """A row for each kind of request."""
    yield "requests", "asked", "answered", "errors", "p50 ms", "p99 ms"
    for kind, outcomes in sorted(ledger.outcomes.items()):
        answered, asked = outcomes[ANSWERED], outcomes.total()
        times = _milliseconds(ledger.seconds[kind])
        yield kind, f"{asked}", f"{answered}", f"{asked - answered}", *times


def errors(ledger: Ledger) -> Rows:
    """A row for each kind of error that people were told."""
    kinds = sum((Counter(outcomes) for outcomes in ledger.outcomes.values()), Counter[str]())
    del kinds[ANSWERED]
    yield "errors", "times"
    for kind, times in kinds.most_common():
        yield kind, f"{times}"


def _faults(met: Sequence[Met]) -> Rows:
    """A row for each kind of fault: how many, after how many all was well before the next one, and
    how long that took."""
    yield "faults", "times", "well", "median s", "most s"
    for kind in sorted({one.fault.kind for one in met}):
        mine = [one.well_after for one in met if one.fault.kind == kind]
        well = [seconds for seconds in mine if seconds is not None]
        took = [f"{np.median(well):.0f}", f"{max(well):.0f}"] if well else ["", ""]
        yield kind, f"{len(mine)}", f"{len(well)}", *took


def _processes(of_themselves: OfThemselves) -> Rows:
    """A row for each process of the desk."""
    yield "processes", *next(iter(of_themselves.values()))
    for name, said in of_themselves.items():
        yield name, *map(str, said.values())


def at_the_end(figures: Mapping[str, int]) -> Rows:
    """A row for each figure."""
    yield ("at the end",)
    for name, figure in figures.items():
        yield name, f"{figure}"


def _milliseconds(seconds: list[float]) -> list[str]:
    if not seconds:
        return ["", ""]
    return [f"{1000 * np.percentile(seconds, share):.0f}" for share in (50, 99)]
