"""The results of `label_curve` and `feedback` as text for the terminal and as HTML pages."""

from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup

from ticketing.evaluation import plots
from ticketing.evaluation.comparison import SIGNIFICANT, Cell, Line, cells, retrieval_text
from ticketing.evaluation.report import pages
from ticketing.evaluation.text_table import table_text
from ticketing.experiments.gupta2018.feedback import (
    ABOUT,
    CANDIDATE,
    DESK,
    SERVED,
    UNTAUGHT,
    WORDS,
    MonthResult,
    pooled_lines,
)
from ticketing.experiments.gupta2018.label_curve import LOSSES, Point
from ticketing.tickets import Grade

ACC = "Acc@10"


def label_text(points: Sequence[Point], words: Line) -> list[str]:
    """Every measure of every point, beside BM25."""
    lines = [*(point.line for point in points), words]
    return [_explained(words), *retrieval_text(lines, cells(lines, words))]


def label_page(points: Sequence[Point], words: Line, notice: str) -> str:
    """The label curve as HTML; nothing is loaded from anywhere."""
    lines = [*(point.line for point in points), words]
    table = cells(lines, words)
    counts = sorted({point.labels for point in points})
    curves = {
        LOSSES[loss]: [cell[ACC][:3] for point, cell in _of(points, table, loss)]
        for loss in dict.fromkeys(point.loss for point in points)
    }
    curves[words.name] = [table[-1][ACC][:3]] * len(counts)
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


def _of(
    points: Sequence[Point], table: Sequence[Mapping[str, Cell]], loss: str
) -> list[tuple[Point, Mapping[str, Cell]]]:
    """A loss's points and cells, by ascending number of labels."""
    found = [(x, cell) for x, cell in zip(points, table, strict=False) if x.loss == loss]
    return sorted(found, key=lambda pair: pair[0].labels)


def month_rows(results: Sequence[MonthResult]) -> list[list[str]]:
    """MonthResult by month: what was judged, Acc@10 on the next month's queries, the decision."""
    names = (SERVED, CANDIDATE, DESK, UNTAUGHT, WORDS)
    rows = [["month", "YES", "REL", "NO", *names, "queries", "promoted", "because"]]
    for result in results:
        grades = [label.grade for label in result.judged]
        judged = [str(grades.count(grade)) for grade in reversed(Grade)]
        found = [_number(result.accuracy(name)) for name in names]
        queries = str(len({label.query.id for label in result.measured}))
        decision = "yes" if result.promoted else "no"
        rows.append([str(result.month), *judged, *found, queries, decision, result.why])
    return rows


def feedback_text(results: Sequence[MonthResult]) -> list[str]:
    """The table of months, and every measure over all months."""
    rows = month_rows(results)
    figures = table_text([row[:-1] for row in rows])
    text = [f"{line}  {row[-1]}" for line, row in zip(figures, rows, strict=True)]
    lines = pooled_lines(results)
    reference = lines[list(ABOUT).index(UNTAUGHT)]
    return [*text, "", _explained(reference), *retrieval_text(lines, cells(lines, reference))]


def feedback_page(results: Sequence[MonthResult], notice: str = "") -> str:
    """The simulation as HTML; nothing is loaded from anywhere."""
    lines = pooled_lines(results)
    curves = {
        name: [(result.accuracy(name), np.nan, np.nan) for result in results]
        for name in (DESK, CANDIDATE, UNTAUGHT, WORDS)
    }
    return _page(
        "What is judging worth?",
        "Each month the ten proposals for some queries are judged by the archive's own links, and "
        "a candidate learns from all judgments so far.",
        "On the next month's queries, by month of judging.",
        plots.curves_plot("month", [str(result.month) for result in results], curves),
        lines,
        lines[list(ABOUT).index(UNTAUGHT)],
        month_rows(results),
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
    page = pages(__package__).get_template("curve.html")
    return page.render(
        title=title,
        about=about,
        shown=shown,
        plot=Markup(plot),
        lines=lines,
        cells=cells(lines, reference),
        reference=reference,
        rows=rows,
        queries=len(lines[0].values[ACC]),
        significant=SIGNIFICANT,
        notice=notice,
    )


def _explained(reference: Line) -> str:
    return (
        f"{len(reference.values[ACC])} queries with a YES; ± half of a 95 % interval; * differs "
        f"from {reference.name} (p < {SIGNIFICANT})"
    )


def _number(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3f}"
