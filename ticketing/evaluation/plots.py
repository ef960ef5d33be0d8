"""The report's plots as inline SVG, in the page's colours (light or dark)."""

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ticketing.evaluation.metrics import DEPTHS
from ticketing.evaluation.reliability import Reliability
from ticketing.evaluation.success import AT_LEAST, Matched, Success

INK, LINE, GROUND = "#000001", "#000002", "#000003"
SERIES = ("#000011", "#000012", "#000013", "#000014", "#000015", "#000016")
PAGE_COLOURS = {
    INK: "currentColor",
    LINE: "var(--line)",
    GROUND: "var(--panel)",
    **{colour: f"var(--c{i})" for i, colour in enumerate(SERIES, 1)},
}
"""Colours in matplotlib, and their names in the style sheet."""

STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))
MOST_QUERIES = 60
"""Maximum number of queries in the plot of single queries."""

MOST_LEVEL = 7
"""Maximum number of ticks with horizontal labels; with more, labels are rotated."""

MOST_COLUMNS = 3
ROOM = 0.95
"""Share of the plot's width for columns of names, since a browser's letters have other widths."""

LINE_INCHES = 0.2
"""Added height of a plot for each line of names beyond two."""

OUTLINE: dict[str, Any] = {"fill": False, "edgecolor": INK, "linestyle": ":"}
"""Style of bars for the best possible values."""

SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "ticketing",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": LINE,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": LINE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}


def success_plot(rates: Sequence[Success]) -> str:
    """Success rates as bars; an outline shows the best possible rate."""
    figure, axes = new_figure("queries", "share of queries")
    for i, with_rel in enumerate((False, True)):
        some = [rate for rate in rates if rate.with_rel == with_rel]
        places = [rate.at_least + (i - 0.5) * 0.38 for rate in some]
        label = "YES or REL" if with_rel else "YES"
        axes.bar(places, [x.rate for x in some], 0.34, color=SERIES[i], label=label)
        axes.bar(places, [x.possible for x in some], 0.34, **OUTLINE)
        for place, rate in zip(places, some, strict=True):
            axes.annotate(
                f"{rate.rate:.2f}", (place, rate.rate), ha="center", va="bottom", color=INK
            )
    axes.set_xticks(AT_LEAST, [f"{least} or more" for least in AT_LEAST])
    axes.set_xlabel("right tickets among the ten proposed")
    axes.set_ylim(0, 1.12)
    legend(figure, axes)
    return svg(figure, "success", "Success rates at one, two and three right proposals")


def matches_plot(counts: Sequence[Matched]) -> str:
    """Each query's right tickets as outlines, proposed ones filled."""
    figure, axes = new_figure("query", "tickets", width=10.0, height=3.0)
    ordered = sorted(counts, key=lambda x: (-x.gold(True), -x.gold_yes, x.query_id))[:MOST_QUERIES]
    places = range(1, len(ordered) + 1)
    yes, rel = [x.yes for x in ordered], [x.rel for x in ordered]
    axes.bar(places, yes, 0.7, color=SERIES[0], label="YES, proposed")
    axes.bar(places, rel, 0.7, bottom=yes, color=SERIES[1], label="REL, proposed")
    axes.bar(places, [x.gold(True) for x in ordered], 0.7, label="YES and REL in all", **OUTLINE)
    axes.set_xlim(0.3, len(ordered) + 0.7)
    legend(figure, axes)
    return svg(figure, "matches", "Right tickets and proposed ones by query")


def recall_plot(curves: Mapping[str, Sequence[float]]) -> str:
    """Recall against depth, a curve for each ranker."""
    figure, axes = new_figure("tickets looked at (k)", "Recall@k")
    for i, (name, curve) in enumerate(curves.items()):
        colour, style = SERIES[i % len(SERIES)], STYLES[i % len(STYLES)]
        width = 2.2 if i == 0 else 1.4
        axes.plot(DEPTHS, curve, label=name, linewidth=width, color=colour, linestyle=style)
    axes.set_xscale("log")
    axes.set_xticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
    axes.minorticks_off()
    axes.set_ylim(0, 1.03)
    legend(figure, axes)
    return svg(figure, "recall", "Recall by number of tickets looked at")


def curves_plot(
    across: str, ticks: Sequence[str], curves: Mapping[str, Sequence[tuple[float, float, float]]]
) -> str:
    """Acc@10 of rankers at each tick, with confidence intervals; NaN for a missing value."""
    figure, axes = new_figure(across, "Acc@10", width=7.5)
    places = range(len(ticks))
    for i, (name, points) in enumerate(curves.items()):
        colour, style = SERIES[i % len(SERIES)], STYLES[i % len(STYLES)]
        means, lows, highs = zip(*points, strict=True)
        axes.plot(places, means, label=name, color=colour, linestyle=style, marker="o", ms=4)
        axes.fill_between(places, lows, highs, color=colour, alpha=0.12, linewidth=0)
    axes.set_xticks(places, ticks, rotation=45 if len(ticks) > MOST_LEVEL else 0)
    axes.set_ylim(0, 1.03)
    legend(figure, axes)
    return svg(figure, "curves", f"Acc@10 by {across}")


def ages_plot(ages: Sequence[str], curves: Mapping[str, Sequence[float | None]]) -> str:
    """Acc@10 of rankers by the age of the right ticket; None where no query is of that age."""
    nothing = float("nan")
    points = {
        name: [(nothing if share is None else share, nothing, nothing) for share in shares]
        for name, shares in curves.items()
    }
    return curves_plot("age of the right ticket", ages, points)


def reliability_plot(ways: Sequence[Reliability]) -> str:
    """Share of YES against the predicted chance; perfect calibration is the diagonal."""
    figure, axes = new_figure("chance of a YES", "share that is a YES")
    axes.plot([0, 1], [0, 1], color=INK, linestyle=":", linewidth=1)
    for i, way in enumerate(ways):
        chances, shares = zip(*way.curve, strict=True)
        label = f"{way.name}, ECE {way.ece:.3f}"
        colour, style = SERIES[i % len(SERIES)], STYLES[i % len(STYLES)]
        axes.plot(chances, shares, label=label, color=colour, linestyle=style, marker="o", ms=4)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.03)
    legend(figure, axes)
    return svg(figure, "reliability", "Share of YES by the chance foretold")


def coverage_plot(coverage: Sequence[tuple[float, float]]) -> str:
    """Share of answered queries that have a YES, against the share of queries that are answered."""
    figure, axes = new_figure("share of queries answered", "share with a YES among ten")
    shares, right = zip(*coverage, strict=True)
    axes.plot(shares, right, color=SERIES[0], marker="o", ms=4, markevery=[-1])
    axes.set_xlim(0, 1.02)
    axes.set_ylim(0, 1.03)
    return svg(figure, "coverage", "Answers with a YES by the share of queries answered")


def channels_plot(means: Mapping[str, Mapping[str, float]]) -> str:
    """Mean distance by kind of pair, stacked by channel."""
    figure, axes = new_figure("distance", "", height=0.9 + 0.6 * len(means))
    left = [0.0] * len(means)
    for i, channel in enumerate(next(iter(means.values()))):
        widths = [by_channel[channel] for by_channel in means.values()]
        colour = SERIES[i % len(SERIES)]
        axes.barh(list(means), widths, 0.6, left=left, color=colour, label=channel)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.invert_yaxis()
    legend(figure, axes)
    return svg(figure, "channels", "Mean distance by kind of pair and channel")


def new_figure(
    across: str, upwards: str, width: float = 5.6, height: float = 3.6
) -> tuple[Figure, Axes]:
    """An empty figure in the page's colours with named axes; width and height in inches."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(upwards)
    axes.grid(axis="y" if upwards else "x", linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def legend(figure: Figure, axes: Axes) -> None:
    """Put names of the series above the plot, in as many columns as fit."""
    count = len(axes.get_legend_handles_labels()[1])
    with matplotlib.rc_context(SETTINGS):
        for columns in range(min(count, MOST_COLUMNS), 0, -1):
            named = figure.legend(loc="outside upper left", ncols=columns)
            if columns == 1 or named.get_window_extent().width < ROOM * figure.bbox.width:
                break
            named.remove()
    more = max(0, -(-count // columns) - 2)
    figure.set_figheight(figure.get_figheight() + more * LINE_INCHES)


def svg(figure: Figure, name: str, title: str) -> str:
    """The figure as an SVG element for a page: no header, no addresses, unique ids."""
    whole = io.StringIO()
    with matplotlib.rc_context(SETTINGS):
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(whole, format="svg", transparent=True, metadata=nothing)
    text = whole.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r'\s(xmlns(:xlink)?|width|height|version)="[^"]*"', "", text, count=5)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", text)
    for drawn, shown in PAGE_COLOURS.items():
        text = text.replace(drawn, shown)
    return text.replace("<svg", f'<svg role="img" aria-label="{title}"', 1)
