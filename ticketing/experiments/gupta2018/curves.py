"""The curves of few labels and of feedback: as text for the terminal, and as one page."""

from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup

from ticketing.evaluation import plots
from ticketing.evaluation.comparison import SIGNIFICANT, Line, cells, retrieval_text
from ticketing.evaluation.report import pages
from ticketing.experiments.gupta2018.feedback import (
    ABOUT,
    CANDIDATE,
    DESK,
    SERVED,
    UNTAUGHT,
    WORDS,
    Month,
    pooled_lines,
)
from ticketing.experiments.gupta2018.label_curve import LOSSES, Point
from ticketing.tickets import Grade

ACC = "Acc@10"


def label_text(points: Sequence[Point], words: Line) -> list[str]:
    """Every measure of every point, beside BM25."""
    lines = [*(point.line for point in points), words]
    return [_explained(words), *retrieval_text(lines, cells(lines, words))]


def label_page(points: Sequence[Point], words: Line, notice: str = "") -> str:
    """The label curve as HTML; nothing is loaded from anywhere."""
    lines = [*(point.line for point in points), words]
    table = cells(lines, words)
    counts = sorted({point.labels for point in points})
    curves = {
        LOSSES[loss]: [tuple(cell[ACC][:3]) for point, cell in _of(points, table, loss)]
        for loss in dict.fromkeys(point.loss for point in points)
    }
    curves[words.name] = [tuple(table[-1][ACC][:3])] * len(counts)
    return _page(
        "How good with few labels?",
        "Trained on random labels of what is not measured, each set within the next larger one.",
        "By number of labelled pairs learned from, with 95 % intervals.",
        plots.curves_plot("labelled pairs", [f"{count:,}" for count in counts], curves),
        lines,
        words,
        [],
        notice,
    )


def _of(points: Sequence[Point], table: Sequence[Mapping], loss: str) -> list[tuple]:
    """A loss's points and cells, by ascending number of labels."""
    found = [(x, cell) for x, cell in zip(points, table, strict=False) if x.loss == loss]
    return sorted(found, key=lambda pair: pair[0].labels)


def month_rows(months: Sequence[Month]) -> list[list[str]]:
    """Month by month: what was judged, Acc@10 on the next month's queries, the decision."""
    names = (SERVED, CANDIDATE, DESK, UNTAUGHT, WORDS)
    rows = [["month", "YES", "REL", "NO", *names, "queries", "promoted", "because"]]
    for month in months:
        grades = [label.grade for label in month.judged]
        judged = [str(grades.count(grade)) for grade in reversed(Grade)]
        found = [_number(month.accuracy(name)) for name in names]
        asked = str(len({label.query.id for label in month.asked}))
        decision = "yes" if month.promoted else "no"
        rows.append([str(month.span), *judged, *found, asked, decision, month.why])
    return rows


def feedback_text(months: Sequence[Month]) -> list[str]:
    """The table of months, and every measure over all months."""
    rows = month_rows(months)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    text = [
        "  ".join([*(f"{x:>{w}}" for x, w in zip(row[:-1], widths, strict=False)), row[-1]])
        for row in rows
    ]
    lines = pooled_lines(months)
    reference = lines[list(ABOUT).index(UNTAUGHT)]
    return [*text, "", _explained(reference), *retrieval_text(lines, cells(lines, reference))]


def feedback_page(months: Sequence[Month], notice: str = "") -> str:
    """The simulation as HTML; nothing is loaded from anywhere."""
    lines = pooled_lines(months)
    curves = {
        name: [(month.accuracy(name), np.nan, np.nan) for month in months]
        for name in (DESK, CANDIDATE, UNTAUGHT, WORDS)
    }
    return _page(
        "What is judging worth?",
        "Each month the ten proposals for some queries are judged by the archive's own links, and "
        "a candidate learns from all judgments so far.",
        "On the next month's queries, by month of judging.",
        plots.curves_plot("month", [str(month.span) for month in months], curves),
        lines,
        lines[list(ABOUT).index(UNTAUGHT)],
        month_rows(months),
        notice,
    )


def _page(
    title: str,
    about: str,
    shown: str,
    plot: str,
    lines: Sequence[Line],
    reference: Line,
    rows: Sequence[Sequence[str]],
    notice: str,
) -> str:
    table = cells(lines, reference)
    return (
        pages(__package__)
        .get_template("curve.html")
        .render(
            title=title,
            about=about,
            shown=shown,
            plot=Markup(plot),
            lines=lines,
            cells=table,
            reference=reference,
            rows=rows,
            queries=len(lines[0].values[ACC]),
            significant=SIGNIFICANT,
            notice=notice,
        )
    )


def _explained(reference: Line) -> str:
    return (
        f"{len(reference.values[ACC])} queries with a YES; ± half of a 95 % interval; * differs "
        f"from {reference.name} (p < {SIGNIFICANT})"
    )


def _number(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3f}"
