"""An answer, the jobs and the models as tables; other lists have theirs beside their pages."""

from dataclasses import astuple, fields

from flask import Blueprint, Response, request

from ticketing.desk.bundle_list import BundleFacts
from web.context import current_desk, known_query
from web.pages.forms import filters_of, order_of
from web.pages.tables import csv_file

export_pages = Blueprint("exports", __name__)


@export_pages.get("/queries/<query_id>.csv")
def answer(query_id: str) -> Response:
    """The ten best tickets for a query, as of now; chances and scores where the page shows
    chances."""
    asked = filters_of(request.args)
    found = current_desk().recommend(known_query(query_id), asked, order=order_of(request.args))
    about = ("rank", "ticket_id", "subject", "product", "created")
    columns = (*about, "score", "chance", "answer", "outlook")
    return csv_file(
        f"answer-{query_id}",
        columns,
        (
            (
                item.rank,
                item.ticket.id,
                item.ticket.subject,
                item.ticket.product,
                item.ticket.created,
                round(item.score, 4) if found.shows_chance(item) else None,
                round(item.chance, 4) if found.shows_chance(item) else None,
                item.answer,
                found.outlook.value,
            )
            for item in found.items
        ),
    )


@export_pages.get("/jobs.csv")
def jobs() -> Response:
    """The latest jobs, newest first."""
    columns = ("id", "kind", "bundle_id", "state", "total", "done", "created", "finished")
    return csv_file(
        "jobs",
        (*columns, "errors", "message"),
        (
            (*(getattr(job, name) for name in columns), len(job.errors), job.message)
            for job in current_desk().store.jobs()
        ),
    )


@export_pages.get("/models.csv")
def models() -> Response:
    """All models, the last trained first."""
    columns = tuple(field.name for field in fields(BundleFacts))
    found = current_desk().bundle_list()
    return csv_file("models", columns, (astuple(bundle) for bundle in found))
