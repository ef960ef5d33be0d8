"""The desk's categories on the page of an answer: proposals for its subject, and YES or NO."""

from dataclasses import dataclass

from flask import Blueprint, current_app, redirect, request, url_for

from ticketing.classification.model import Suggestion
from ticketing.classification.normaliser import Normaliser
from ticketing.errors import TicketingError
from ticketing.tickets import Query
from web.context import current_judge, known_query
from web.forms import valid
from web.schemas import CategoryAnswerIn

category_pages = Blueprint("categories", __name__)


@dataclass(frozen=True)
class Proposals:
    """Proposed categories, what this judge said to each, and why there are none, if so."""

    items: tuple[tuple[Suggestion, bool | None], ...] = ()
    problem: str = ""


def current_normaliser() -> Normaliser:
    """The subject normaliser of the desk that this application serves."""
    return current_app.extensions["categories"]


@category_pages.app_template_global()
def proposed_categories(query: Query) -> Proposals | None:
    """What to propose for a query's subject; None where no model of categories was trained."""
    normaliser = current_normaliser()
    if not (normaliser.ready and query.subject.strip()):
        return None
    try:
        found = normaliser.suggest(query.subject)
        said = normaliser.feedback.answers(query.subject, current_judge())
    except TicketingError as error:  # the tickets found are worth showing all the same
        return Proposals(problem=str(error))
    return Proposals(tuple((item, said.get(item.group)) for item in found))


@category_pages.post("/queries/<query_id>/categories")
def answer_proposal(query_id: str):
    """Record YES, NO or (empty) their undo for a proposed category; back to the page."""
    query = known_query(query_id)
    given = valid(
        CategoryAnswerIn, {name: request.form.get(name, "") for name in ("group", "right")}
    )
    current_normaliser().judge(query.subject, given.group, given.verdict(), current_judge())
    return redirect(url_for("pages.answer", query_id=query_id, _anchor="categories"), 303)
