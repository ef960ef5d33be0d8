"""Categories on the page of an answer: proposals for the query's subject, and YES or NO."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import Blueprint, url_for
from werkzeug.wrappers import Response

from ticketing.errors import TicketingError
from ticketing.tickets import Query
from web.context import current_desk, current_person, known_query, sentence_of
from web.judging import judge_category
from web.pages.forms import back, form_fields, valid
from web.schemas.requests import CategoryAnswerIn

if TYPE_CHECKING:
    from ticketing.classification.classifier import Suggestion

category_pages = Blueprint("categories", __name__)


@dataclass(frozen=True)
class Proposals:
    """Proposed categories, this judge's verdicts on them, and why there are none, if so."""

    items: tuple[tuple[Suggestion, bool | None], ...] = ()
    problem: str = ""


@category_pages.app_template_global()
def proposed_categories(query: Query) -> Proposals | None:
    """Proposals for a query's subject; None if no classifier serves."""
    desk = current_desk()
    try:
        if not (query.subject.strip() and desk.has_categories()):
            return None
        found = desk.propose_categories(query.subject)
        said = desk.category_verdicts(query.subject, current_person().name)
    except TicketingError as error:  # the tickets found are shown anyway
        return Proposals(problem=sentence_of(error))
    return Proposals(tuple((item, said.get(item.group)) for item in found))


@category_pages.post("/queries/<query_id>/categories")
def answer_proposal(query_id: str) -> Response:
    """Record YES, NO or their undo (empty) for a proposed category; redirects back."""
    query = known_query(query_id)
    given = valid(CategoryAnswerIn, form_fields("group", "right"))
    judge_category(query.subject, given.group, given.verdict())
    return back(url_for("pages.answer", query_id=query_id, _anchor="categories"))
