"""The table of results: one line per ranker, with confidence intervals and a paired test against a
reference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ticketing.evaluation.metrics import evaluate
from ticketing.evaluation.relatedness import Estimate, Relatedness, relatedness
from ticketing.evaluation.runs import Ranked
from ticketing.evaluation.significance import mean_intervals, paired_p
from ticketing.evaluation.text_table import table_text
from ticketing.tickets import Label

SIGNIFICANT = 0.05


class Cell(NamedTuple):
    """A mean over queries, its confidence interval, and p of the difference from the reference."""

    value: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Line:
    """A ranker's name, its description, and its results."""

    name: str
    about: str
    ranked: Ranked
    values: dict[str, list[float]]
    """By measure, the values of the queries with a YES, in ascending order of id."""
    related: Relatedness | None = None
    """None for a ranker whose scores are not distances of pairs (BM25)."""


def measured(
    name: str,
    about: str,
    ranked: Ranked,
    labels: Sequence[Label],
    fit: Sequence[Label] | None = None,
) -> Line:
    """Measure a ranking as a line of the table; `fit` are labels for the map from distances to
    grades (see `relatedness`)."""
    related = None if fit is None else relatedness(ranked.places, labels, fit)
    return Line(name, about, ranked, evaluate(labels, ranked.run), related)


def cells(lines: Sequence[Line], reference: Line) -> list[dict[str, Cell]]:
    """Means of every line's retrieval measures, with a paired test against the reference."""
    table = []
    wanted = np.array(list(reference.values.values()))  # [M, Q]
    for line in lines:
        values = np.array(list(line.values.values()))
        tested = np.ones(len(values)) if line is reference else paired_p(values, wanted)
        rows = zip(values.mean(1), mean_intervals(values), tested, strict=True)
        table.append(
            {
                measure: Cell(float(mean), float(low), float(high), float(p))
                for measure, (mean, (low, high), p) in zip(line.values, rows, strict=True)
            }
        )
    return table


def retrieval_text(lines: Sequence[Line], table: Sequence[dict[str, Cell]]) -> list[str]:
    """Retrieval measures as text: the mean, `*` if p is small, and half the interval."""
    rows = [["", *lines[0].values]]
    for line, row in zip(lines, table, strict=True):
        rows.append([line.name, *(_mean(cell) for cell in row.values())])
        rows.append([f"  {line.about}", *(_half(cell.low, cell.high) for cell in row.values())])
    return table_text(rows)


def relatedness_text(lines: Sequence[Line]) -> list[str]:
    """r, rho and MSE as text, and what could not be measured."""
    shown = [(line.name, line.related) for line in lines if line.related]
    rows = [["", "r", "rho", "MSE", "pairs"]]
    reasons: dict[str, list[str]] = {}
    for name, found in shown:
        rows.append([name, *map(_estimate, (found.r, found.rho, found.mse)), str(found.pairs)])
        for reason in found.reasons:
            reasons.setdefault(reason, []).append(name)
    return table_text(rows) + [
        f"Not measured (–): {reason}"
        + ("" if len(names) == len(shown) else f" ({', '.join(names)})")
        for reason, names in reasons.items()
    ]


def _mean(cell: Cell) -> str:
    return f"{cell.value:.3f}{'*' if cell.p < SIGNIFICANT else ' '}"


def _half(low: float, high: float) -> str:
    return "" if np.isnan(low) else f"±{(high - low) / 2:.3f} "


def _estimate(estimate: Estimate | None) -> str:
    if estimate is None:
        return "–"
    return f"{estimate.value:.3f} {_half(estimate.low, estimate.high):7}"
