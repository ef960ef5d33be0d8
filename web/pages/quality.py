"""The page of quality over time."""

from flask import Blueprint, Response, render_template

from web.context import current_desk
from web.pages.tables import csv_file
from web.views.quality_charts import bundle_colours, day, quality_charts

quality_pages = Blueprint("quality", __name__)

FIGURES = ("asked", "judged", "yes_at_1", "yes_in_ten", "judged_at_10", "no_match")


@quality_pages.get("/quality")
def overview() -> str:
    """Quality by week and model: numbers of queries, judged and right ones, as plots and a
    table."""
    report = current_desk().quality()
    return render_template(
        "quality.html",
        report=report,
        charts=quality_charts(report.weeks, report.switches),
        colours=bundle_colours(report.weeks),
        day=day,
    )


@quality_pages.get("/quality.csv")
def as_csv() -> Response:
    """Quality by week and model, as a table."""
    rows = (
        (item.week, item.bundle_id, *(getattr(item.quality, name) for name in FIGURES))
        for item in current_desk().quality().weeks
    )
    return csv_file("quality", ("week", "bundle_id", *FIGURES), rows)
