"""One table of what was asked, what came of it, and which faults there were."""

from collections import Counter

import numpy as np

from tests.soak.faults import Met
from tests.soak.ledger import ANSWERED, Ledger
from ticketing.evaluation.text_table import table_text


def requests_table(ledger: Ledger) -> list[str]:
    """A line for each kind of request."""
    rows = [["requests", "asked", "answered", "errors", "p50 ms", "p99 ms"]]
    for kind, outcomes in ledger.outcomes.items():
        answered, asked = outcomes[ANSWERED], outcomes.total()
        times = _milliseconds(ledger.seconds[kind])
        rows.append([kind, f"{asked}", f"{answered}", f"{asked - answered}", *times])
    return table_text(rows)


def errors_table(ledger: Ledger) -> list[str]:
    """A line for each kind of error."""
    kinds = sum((Counter(outcomes) for outcomes in ledger.outcomes.values()), Counter[str]())
    del kinds[ANSWERED]
    return table_text([["errors", "times"], *([kind, f"{n}"] for kind, n in kinds.most_common())])


def faults_table(
    met: list[Met], unasked: dict[str, list[int]], tracebacks: dict[str, int]
) -> list[str]:
    """A line for each kind of fault: how many, after how many all was well before the next one, and
    how long that took. Then what processes did of themselves."""
    rows = [["faults", "times", "well before the next", "median s", "most s"]]
    for kind in sorted({one.fault.kind for one in met}):
        mine = [one.well_after for one in met if one.fault.kind == kind]
        well = [seconds for seconds in mine if seconds is not None]
        took = [f"{np.median(well):.0f}", f"{max(well):.0f}"] if well else ["", ""]
        rows.append([kind, f"{len(mine)}", f"{len(well)}", *took])
    ended = [f"{name} ended unasked: {codes}" for name, codes in unasked.items()]
    written = ", ".join(f"{name} {number}" for name, number in tracebacks.items())
    return [*table_text(rows), *ended, f"tracebacks written: {written}"]


def figures_table(figures: dict[str, int]) -> list[str]:
    """A line for each figure."""
    return table_text([["at the end", ""], *([name, f"{n}"] for name, n in figures.items())])


def _milliseconds(seconds: list[float]) -> list[str]:
    if not seconds:
        return ["", ""]
    return [f"{1000 * np.percentile(seconds, share):.0f}" for share in (50, 99)]
