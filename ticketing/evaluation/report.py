"""The report: one self-contained HTML page with all measurements of a run."""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ticketing.evaluation import plots
from ticketing.evaluation.ages import AGES
from ticketing.evaluation.bundle_diff import first_line
from ticketing.evaluation.comparison import SIGNIFICANT, Line
from ticketing.evaluation.diagnosis import channel_means, worst_queries
from ticketing.evaluation.measurement import ENCODER, Measurement
from ticketing.evaluation.metrics import recall_curve, with_answers
from ticketing.evaluation.ways import ALONE
from ticketing.files import write_atomically
from ticketing.plurals import counted
from ticketing.retrieval.recommend import Recommender
from ticketing.text.sentences import clipped
from ticketing.tickets import Ticket, queries_of

MOST_CURVES = 6
EXCERPT = 300
"""Characters of a text shown on the page."""


def write_report(
    path: Path, found: Measurement, recommender: Recommender, notice: str = ""
) -> None:
    """Write the page atomically. `recommender` is that of the first line."""
    write_atomically(path, render(found, recommender, notice))


def render(found: Measurement, recommender: Recommender, notice: str = "") -> str:
    """The page as HTML. All texts are escaped; nothing is loaded from other addresses."""
    labels, first = found.sample.labels, found.lines[0]
    return (
        pages()
        .get_template("report.html")
        .render(
            found=found,
            ages=AGES,
            notice=notice,
            bundle=recommender.model.id,
            tickets=recommender.store.count_tickets(),
            queries=len(queries_of(labels)),
            answered=len(queries_of(with_answers(labels))),
            cells=found.cells() if found.sample.answered else [],
            significant=SIGNIFICANT,
            success=found.success(),
            worst=worst_queries(recommender, labels, first.ranked),
            plots=_plots(found, recommender),
        )
    )


def pages(*packages: str) -> Environment:
    """The templates of this package, and of `packages` that extend them.

    All texts are escaped, and unknown names are errors.
    """
    found = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in (*packages, "ticketing.evaluation")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"counted": counted, "excerpt": excerpt, "first_line": first_line}
    return found


def excerpt(ticket: Ticket) -> str:
    """The beginning of a ticket."""
    return clipped(f"{ticket.description} {ticket.solution}", EXCERPT)


def _plots(found: Measurement, recommender: Recommender) -> list[tuple[str, str, Markup]]:
    """Title, description and drawing of each plot; plots that cannot be drawn are left out."""
    labels, ranked = found.sample.labels, found.lines[0].ranked
    drawn = []
    if rates := found.success():
        about = "Share of queries with so many right tickets among ten; dotted: what is possible."
        drawn.append(("Success rate", about, plots.success_plot(rates)))
    if found.sample.answered:
        curves = {line.name: recall_curve(labels, line.ranked.run) for line in _curves(found.lines)}
        about = "Share of a query's YES tickets among the first k."
        drawn.append(("Recall", about, plots.recall_plot(curves)))
        if found.ages:
            about = "Share of queries with a YES among ten, by days to the youngest one."
            drawn.append(("Age of the right ticket", about, plots.ages_plot(AGES, _by_age(found))))
    if found.trust:
        about = "Share of YES among the ten shown, by the chance foretold; dotted: as foretold."
        drawn.append(("Reliability", about, plots.reliability_plot(found.trust.ways)))
        about = "Share of answers with a YES among ten, where only the likeliest are answered."
        drawn.append(("Coverage", about, plots.coverage_plot(found.trust.coverage)))
    if means := channel_means(recommender, labels, ranked):
        about = "Mean distance of labelled pairs and of what ranked first, cut into channels."
        drawn.append(("Score by channel", about, plots.channels_plot(means)))
    if 0 < len(matches := found.matches()) <= plots.MOST_QUERIES:
        about = "A bar a query: its right tickets, and those of them that were proposed."
        drawn.append(("Matched proposals", about, plots.matches_plot(matches)))
    return [(title, about, Markup(svg)) for title, about, svg in drawn]


def _by_age(found: Measurement) -> dict[str, tuple[float | None, ...]]:
    shown = {line.name for line in _curves(found.lines)}
    return {row.name: row.shares for row in found.by_age() if row.name in shown}


def _curves(lines: Sequence[Line]) -> list[Line]:
    """The lines that are drawn: bundles, BM25, the last of the paper's rows, a sentence encoder and
    its mixtures, then distance and channels alone, as far as there are colours."""
    rows = [line for line in lines if line.name.startswith("#")]
    encoder = [line for line in lines if line.name.startswith(ENCODER)]
    parts = [line for line in lines if f" {ALONE}" in line.name]
    apart = {line.name for line in (*rows, *encoder, *parts)}
    whole = [line for line in lines if line.name not in apart]
    return [*whole, *rows[-1:], *encoder, *parts][:MOST_CURVES]
