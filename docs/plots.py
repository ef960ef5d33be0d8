"""The plots of the result pages, drawn from the measured points in docs/results/*.json.

A file is a list of points, each with the `name` of its curve; `--json` of `ticketing experiments
gupta2018 labels` and `feedback` writes one.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ticketing.evaluation.plots import SERIES, STYLES, curves_plot, legend, new_figure, svg

ACC = "Acc@10"

APART = 1.3
"""How much larger a place has to be than the one before to be named on a logarithmic axis."""


def label_curve(folder: Path) -> str:
    """Acc@10 against the number of labels that were learned from."""
    points = _read(folder, "label-curve")
    return _accuracies("labelled pairs", points, "labels", lambda labels: f"{labels:,}")


def feedback(folder: Path) -> str:
    """Acc@10 on the month after each month of judging."""
    return _accuracies("month of judging", _read(folder, "feedback"), "month", str)


def rankers(folder: Path) -> str:
    """Acc@k of bundles, of the words alone and of BM25; `row` names that of archive.md's table."""
    title = "Share of queries with a solving ticket among the first k"
    return _lines(folder, "rankers", title, ("k", "tickets proposed (k)"), ("Acc@k", "Acc@k"))


def cost(folder: Path) -> str:
    """Milliseconds of one exact scan against the number of tickets, both logarithmic."""
    title = "Time of one exact scan by number of tickets"
    upwards = "milliseconds", "milliseconds a query"
    return _lines(folder, "cost", title, ("tickets", "tickets"), upwards, scale="log")


def sizes(folder: Path) -> str:
    """What an answer and a training take against the number of tickets, both logarithmic."""
    title = "A scan, an answer, a process and a training by number of tickets"
    upwards = "value", "milliseconds, megabytes or minutes"
    return _lines(folder, "sizes", title, ("tickets", "tickets"), upwards, scale="log")


PLOTS: Mapping[str, Callable[[Path], str]] = {
    "label-curve": label_curve,
    "feedback": feedback,
    "rankers": rankers,
    "cost": cost,
    "sizes": sizes,
}


def _read(folder: Path, name: str) -> list[dict]:
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def _accuracies(across: str, points: Sequence[dict], key: str, shown: Callable) -> str:
    """Acc@10 with its intervals; a curve whose only point has no place is drawn level."""
    places = sorted({point[key] for point in points if point[key] is not None})
    curves = {}
    for name in dict.fromkeys(point["name"] for point in points):
        by_place = {point[key]: _interval(point) for point in points if point["name"] == name}
        curves[name] = [by_place.get(place, by_place.get(None)) for place in places]
    return curves_plot(across, [shown(place) for place in places], curves)


def _interval(point: dict) -> tuple[float, float, float]:
    values = (math.nan if point[key] is None else point[key] for key in (ACC, "low", "high"))
    return tuple(values)


def _lines(
    folder: Path,
    file: str,
    title: str,
    across: tuple[str, str],
    upwards: tuple[str, str],
    scale: str = "linear",
) -> str:
    """A line a name; `across` and `upwards` are each a key of the points and an axis' name."""
    points = _read(folder, file)
    figure, axes = new_figure(across[1], upwards[1], width=7.5)
    for i, name in enumerate(dict.fromkeys(point["name"] for point in points)):
        some = [(p[across[0]], p[upwards[0]]) for p in points if p["name"] == name]
        style = {"color": SERIES[i % len(SERIES)], "linestyle": STYLES[i % len(STYLES)]}
        axes.plot(*zip(*some, strict=True), label=name, marker="o", ms=4, **style)
    axes.set_xscale(scale)
    axes.set_yscale(scale)
    if scale == "linear":
        axes.set_ylim(bottom=0)
    places = sorted({point[across[0]] for point in points})
    if scale == "log":  # names of places that are near to each other would overlap
        places = [x for x, last in zip(places, [0, *places], strict=False) if x > APART * last]
    axes.set_xticks(places, [f"{place:,}" for place in places])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter("{x:g}")
    legend(figure, axes)
    return svg(figure, file, title)
