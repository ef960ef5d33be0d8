"""The printed table: one line a ranker, with intervals and a paired test against another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ticketing.evaluation.metrics import evaluate
from ticketing.evaluation.relatedness import Estimate, Relatedness, relatedness
from ticketing.evaluation.runs import Ranked
from ticketing.evaluation.significance import mean_intervals, paired_p
from ticketing.tickets import Label

SIGNIFICANT = 0.05


class Cell(NamedTuple):
    """A mean over queries, the ends of its interval, and p against the reference's mean."""

    value: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Line:
    """A ranker's name, what it compares, and how well it does."""

    name: str
    about: str
    ranked: Ranked
    values: dict[str, list[float]]
    """By measure, by query with a YES in ascending order of id."""
    related: Relatedness | None = None
    """None for a ranker whose distances are no distances of pairs (BM25)."""


def measured(
    name: str,
    about: str,
    ranked: Ranked,
    labels: Sequence[Label],
    fit: Sequence[Label] | None = None,
) -> Line:
    """A line of the table; `fit` are labels to map distances to grades by (see relatedness)."""
    related = None if fit is None else relatedness(ranked.places, labels, fit)
    return Line(name, about, ranked, evaluate(labels, ranked.run), related)


def cells(lines: Sequence[Line], reference: Line) -> list[dict[str, Cell]]:
    """Every line's retrieval measures, compared with the reference by a paired test."""
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
    """The measures of retrieval as text: a mean, `*` where p is small, half the interval."""
    width = max(len(text) for line in lines for text in (line.name, f"  {line.about}"))
    head = "".join(f"{measure:>11}" for measure in lines[0].values)
    text = [f"{'':{width}}{head}"]
    for line, row in zip(lines, table, strict=True):
        text.append(f"{line.name:{width}}" + "".join(_mean(cell) for cell in row.values()))
        text.append(
            f"{f'  {line.about}':{width}}"
            + "".join(_half(cell.low, cell.high) for cell in row.values())
        )
    return text


def relatedness_text(lines: Sequence[Line]) -> list[str]:
    """r, rho and MSE as text, and what could not be measured."""
    shown = [(line.name, line.related) for line in lines if line.related]
    width = max(len(name) for name, _ in shown) + 2
    text = [f"{'':{width}}{'r':>14}{'rho':>14}{'MSE':>14}{'pairs':>8}"]
    reasons: dict[str, list[str]] = {}
    for name, found in shown:
        numbers = "".join(_estimate(x) for x in (found.r, found.rho, found.mse))
        text.append(f"{name:{width}}{numbers}{found.pairs:>8}")
        for reason in found.reasons:
            reasons.setdefault(reason, []).append(name)
    return text + [
        f"Not measured (–): {reason}" + ("" if len(names) == len(shown) else f" ({_join(names)})")
        for reason, names in reasons.items()
    ]


def _mean(cell: Cell) -> str:
    return f"{cell.value:10.3f}{'*' if cell.p < SIGNIFICANT else ' '}"


def _half(low: float, high: float) -> str:
    return f"{'' if np.isnan(low) else f'±{(high - low) / 2:.3f}':>10} "


def _estimate(estimate: Estimate | None) -> str:
    if estimate is None:
        return f"{'–':>14}"
    return f"{estimate.value:6.3f} {_half(estimate.low, estimate.high).strip():7}"


def _join(names: Sequence[str]) -> str:
    return ", ".join(names)
