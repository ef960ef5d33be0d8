"""Pages of the history: past queries, saved queries, unanswered queries."""

from flask import Blueprint, Response, render_template, request, url_for
from werkzeug.wrappers import Response as Redirect

from ticketing.history import Asking
from ticketing.tickets import Query
from web.context import current_desk, current_person, known_query
from web.pages.forms import back, filter_arguments, filters_of
from web.pages.tables import csv_file, page_of

history_pages = Blueprint("history", __name__)

ASKED = ("query_id", "subject", "description", "time", "outlook", "chance", "bundle_id")
"""Columns of the table of past queries, with the answers of then."""


@history_pages.get("/history")
def overview() -> str:
    """The person's past queries, newest first, and saved queries."""
    desk, person = current_desk(), current_person().name
    saved = desk.saved_queries(person)
    return render_template(
        "history.html",
        page=page_of(desk.history(person)),
        saved=saved,
        kept={(event.query.id, event.filters) for event in saved},
        filter_arguments=filter_arguments,
    )


@history_pages.get("/history.csv")
def as_csv() -> Response:
    """The person's past queries, as a table."""
    found = current_desk().history(current_person().name)
    return csv_file("history", ASKED, (_row(asking) for asking in found))


@history_pages.get("/saved.csv")
def saved_as_csv() -> Response:
    """The person's saved queries, as a table."""
    columns = ("query_id", "subject", "description", "time", "address")
    found = current_desk().saved_queries(current_person().name)
    return csv_file(
        "saved",
        columns,
        (
            (
                event.query.id,
                event.query.subject,
                event.query.description,
                event.time,
                url_for(
                    "pages.answer",
                    query_id=event.query.id,
                    _external=True,
                    **filter_arguments(event.filters),
                ),
            )
            for event in found
        ),
    )


@history_pages.post("/queries/<query_id>/saved")
def save(query_id: str) -> Redirect:
    """Save a query with its filters, or remove it (empty `kept`); redirects to the page."""
    query, filters = known_query(query_id), filters_of(request.form)
    kept = bool(request.form.get("kept"))
    current_desk().save_query(query.id, filters, current_person().name, kept)
    return back(url_for("history.overview"))


@history_pages.app_template_global()
def is_saved(query: Query) -> bool:
    """Whether the person saved a query with the filters of the address."""
    saved = current_desk().saved_queries(current_person().name)
    return (query.id, filters_of(request.args)) in {(x.query.id, x.filters) for x in saved}


@history_pages.get("/unanswered")
def unanswered() -> str:
    """Unanswered queries, that is, without a good match, by topic."""
    return render_template("unanswered.html", gaps=current_desk().unanswered())


@history_pages.get("/unanswered.csv")
def unanswered_as_csv() -> Response:
    """Unanswered queries, as a table."""
    gaps = current_desk().unanswered()
    rows = ((gap.topic, *_row(asking)) for gap in gaps for asking in gap.askings)
    return csv_file("unanswered", ("topic", *ASKED), rows)


def _row(asking: Asking) -> tuple[object, ...]:
    query = asking.query
    return (
        query.id,
        query.subject,
        query.description,
        asking.time,
        asking.outlook.value,
        None if asking.chance is None else round(asking.chance, 4),
        asking.bundle_id,
    )
