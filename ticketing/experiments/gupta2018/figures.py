"""The curves as numbers for plots: a list of points, one per ranker and place."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

from ticketing.evaluation.comparison import Cell, Line, cells, measured
from ticketing.evaluation.runs import Ranked
from ticketing.experiments.gupta2018.feedback import ABOUT, MonthResult
from ticketing.experiments.gupta2018.label_curve import LOSSES, Point
from ticketing.files import Json, write_atomically


def label_figures(points: Sequence[Point], words: Line) -> list[Json]:
    """name, labels, Acc@10 with the ends of its interval, MAP@10; BM25 has no number of labels."""
    places = [*((LOSSES[point.loss], point.labels) for point in points), (words.name, None)]
    table = cells([*(point.line for point in points), words], words)
    return [
        {"name": name, "labels": labels} | _figures(cell)
        for (name, labels), cell in zip(places, table, strict=True)
    ]


def feedback_figures(results: Sequence[MonthResult]) -> list[Json]:
    """name, month, Acc@10 with the ends of its interval, MAP@10; null without queries."""
    return [
        {"name": line.name, "month": str(result.month)} | _figures(cell)
        for result in results
        for line, cell in _of_month(result)
    ]


def write_figures(path: Path, figures: Sequence[Json]) -> None:
    """Write figures as JSON, whole or not at all."""
    write_atomically(path, json.dumps(figures, indent=1, allow_nan=False) + "\n")


def _of_month(result: MonthResult) -> list[tuple[Line, dict[str, Cell]]]:
    lines = [
        measured(name, about, Ranked(result.runs[name], {}), result.measured)
        for name, about in ABOUT.items()
    ]
    if not result.measured:
        return [(line, {}) for line in lines]
    return list(zip(lines, cells(lines, lines[0]), strict=True))


def _figures(cell: dict[str, Cell]) -> dict[str, float | None]:
    nothing = Cell(math.nan, math.nan, math.nan, math.nan)
    accuracy, precision = cell.get("Acc@10", nothing), cell.get("MAP@10", nothing)
    values = {
        "Acc@10": accuracy.value,
        "MAP@10": precision.value,
        "low": accuracy.low,
        "high": accuracy.high,
    }
    return {name: None if math.isnan(value) else value for name, value in values.items()}
