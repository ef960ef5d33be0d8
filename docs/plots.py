"""The plots of the result pages, drawn from the measured figures in docs/results/*.json."""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path

from ticketing.evaluation.plots import SERIES, STYLES, curves_plot, legend, new_figure, svg


def label_curve(folder: Path) -> str:
    """Acc@10 against the number of labels that were learned from."""
    return _accuracy(folder, "label-curve", "labelled pairs")


def feedback(folder: Path) -> str:
    """Acc@10 on the month after each month of judging."""
    return _accuracy(folder, "feedback", "month of judging")


def rankers(folder: Path) -> str:
    """Acc@k of the bundle, of each of its encoders alone and of BM25."""
    return _lines(folder, "rankers", "tickets proposed (k)", "Acc@k")


def cost(folder: Path) -> str:
    """Milliseconds of one exact scan against the number of tickets."""
    return _lines(folder, "cost", "tickets", "milliseconds a query", logarithmic=True)


PLOTS: Mapping[str, Callable[[Path], str]] = {
    "label-curve": label_curve,
    "feedback": feedback,
    "rankers": rankers,
    "cost": cost,
}


def _read(folder: Path, name: str) -> dict:
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def _accuracy(folder: Path, name: str, across: str) -> str:
    found = _read(folder, name)
    curves = {
        series: [(value, math.nan, math.nan) for value in values]
        for series, values in found["series"].items()
    }
    return curves_plot(across, found["ticks"], curves)


def _lines(folder: Path, name: str, across: str, upwards: str, logarithmic: bool = False) -> str:
    """A line a series over numeric ticks; both axes logarithmic, or both linear from 0."""
    found = _read(folder, name)
    figure, axes = new_figure(across, upwards, width=7.5)
    for i, (series, values) in enumerate(found["series"].items()):
        style = {"color": SERIES[i % len(SERIES)], "linestyle": STYLES[i % len(STYLES)]}
        axes.plot(found["ticks"], values, label=series, marker="o", ms=4, **style)
    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_xticks(found["ticks"], [f"{tick:,}" for tick in found["ticks"]])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter("{x:g}")
    legend(figure, axes)
    return svg(figure, name, found["title"])
