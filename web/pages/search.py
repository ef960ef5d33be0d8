"""The main pages: ask, the answer at its own address, judge, a ticket; and the API’s."""

from dataclasses import replace
from typing import Any, cast

from apiflask import APIFlask
from flask import Blueprint, current_app, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from ticketing.errors import InputError, StoreFull
from ticketing.recommendations import Order, Recommendation, Recommendations
from ticketing.tickets import Filters, Query, Ticket
from web.api.docs import FILE, operations
from web.context import current_desk, current_person, known_query, known_ticket, sentence_of
from web.judging import record
from web.pages.first_steps import first_steps
from web.pages.forms import back, filters_of, order_of, set_filters, valid
from web.schemas.requests import EXHAUST, EXHAUST_ID, JudgmentIn, grade_named
from web.views.markdown import answer_as_markdown

pages = Blueprint("pages", __name__)

EXAMPLE = Query(
    "Exhaust temperature uneven, one burner seems cold",
    "The HMI shows a high exhaust spread. While going down from base load the round picture of "
    "the outlet gets a dent on one side. Gas flow at one burner is below the mean of the others. "
    "Is it safe to restart?",
)
"""Offered where the demonstration knowledge base is served."""


@pages.get("/")
def ask() -> str:
    """The form, with what other programs' links write into it (`?subject=…&description=…`);
    `?example` fills it, `?query=<id>` repeats a query to change it."""
    query = Query(*_texts(request.args))
    if "query" in request.args:
        query = known_query(request.args["query"])
    elif "example" in request.args:
        query = EXAMPLE
    if not current_desk().setup().ready:
        return first_steps()
    return _form(query)


@pages.post("/")
def ask_now() -> ResponseReturnValue:
    """Remember the query and go to its address; a blank one gets the form back."""
    query = _written()
    if not (query.subject or query.description):
        return _form(query, "Say what is wrong: a subject, a description or both."), 400
    filters = filters_of(request.form)  # a bad date is refused here, where it was typed
    try:
        current_desk().ask(query, filters, current_person().name)
    except StoreFull as error:
        return _answer(query, f"{sentence_of(error)} {error.meanwhile}")
    except InputError as error:
        return _form(query, str(error)), 400
    chosen: dict[str, Any] = set_filters(request.form)
    return redirect(url_for("pages.answer", query_id=query.id, **chosen), 303)


@pages.post("/preview")
def preview() -> str:
    """What a query that is still being written would find, as a piece of the page; none of it is
    remembered."""
    found = current_desk().preview(_written(), filters_of(request.form))
    return render_template("found.html", answer=found, set_filters=set_filters(request.form))


@pages.get("/queries/<query_id>")
def answer(query_id: str) -> Response:
    """The ten best tickets for a query, as of now."""
    return _answer(known_query(query_id))


@pages.get("/queries/<query_id>/markdown")
def as_markdown(query_id: str) -> Response:
    """The ten best tickets for a query as Markdown, to paste into a ticket."""
    query, filters = known_query(query_id), filters_of(request.args)
    found = current_desk().recommend(query, filters, order=order_of(request.args))
    address = url_for("pages.answer", query_id=query_id, **_kept(), _external=True)
    return Response(
        answer_as_markdown(found, address),
        mimetype="text/markdown",
        headers={"Cache-Control": "no-store"},
    )


@pages.post("/queries/<query_id>/judgments")
def judge(query_id: str) -> Response:
    """Record a grade (an empty one is an undo) unless it stands already; back to the page."""
    given = {name: request.form.get(name) or None for name in ("grade", "rank", "score")}
    fields = {"ticket_id": request.form.get("ticket_id", ""), "seen": request.form.get("seen")}
    judged = valid(JudgmentIn, {"query_id": query_id, **fields, **given})
    before = current_desk().grades(query_id, current_person().name).get(judged.ticket_id)
    if before != grade_named(judged.grade) and (sentence := record(judged)):
        flash(sentence, "problem")
    return back()


@pages.get("/tickets/<path:ticket_id>")
def ticket(ticket_id: str) -> Response:
    """A ticket with everything that is known about it; `?query=<id>` adds what speaks for it as an
    answer to that query, and judging."""
    found, desk, query, answer = known_ticket(ticket_id), current_desk(), None, None
    if "query" in request.args:
        query = known_query(request.args["query"])
        asked = filters_of(request.args)
        answer = desk.preview(query, asked, order=order_of(request.args))
    page = render_template(
        "ticket.html",
        ticket=found,
        topic=desk.topic_of(found),
        query=query,
        answer=answer,
        item=answer and _proposed(answer, ticket_id),
        grades=query and desk.grades(query.id, current_person().name),
        judgments=query and desk.judgments_of(query.id),
        kept=_kept(),
    )
    return _fresh(page)


@pages.post("/similar")
def similar() -> Response:
    """Ask with a ticket's own text; that ticket isn't proposed as its own answer."""
    found: Ticket = known_ticket(request.form.get("ticket_id", ""))
    query_id = current_desk().store.put_query(found.as_query)
    return redirect(url_for("pages.answer", query_id=query_id), 303)


@pages.get("/api")
def api_docs() -> str:
    """The JSON API's operations, listed from the same OpenAPI document that programs read."""
    store = current_desk().store
    ticket = next(iter(store.iter_tickets()), None)
    others = (bundle.id for bundle in current_desk().bundle_list() if not bundle.serves)
    other = next(others, "MODEL")
    known = {
        "query_id": EXHAUST_ID,
        "queries": EXHAUST_ID,
        "bundles": store.serving(),
        "bundle_id": other,
        "new": other,
        "old": store.serving() or "MODEL",
        "job_id": next((job.id for job in store.jobs(1)), "JOB"),
        "ticket_id": ticket.id if ticket else "T-1",
        "name": FILE,
        "number": 0,
        "subject": EXHAUST["subject"],
    }
    spec = cast(dict[str, Any], cast(APIFlask, current_app).spec)
    return render_template("api.html", spec=spec, operations=operations(spec, known))


def _answer(query: Query, problem: str = "") -> Response:
    desk, order, filters = current_desk(), order_of(request.values), filters_of(request.values)
    answer = desk.recommend(query, filters, order=order)
    page = render_template(
        "answer.html",
        query=query,
        problem=problem,
        answer=answer,
        unsolved=_unsolved(answer, filters),
        order=order,
        grades=desk.grades(query.id, current_person().name),
        judgments=desk.judgments_of(query.id),
        facets=desk.store.facets(),
        set_filters=set_filters(request.values),
        kept=_kept(),
    )
    return _fresh(page)


def _unsolved(answer: Recommendations, filters: Filters) -> int:
    """Number of shown tickets without a solution, if these are most of them and the filter for
    tickets with one would leave some; else 0."""
    unsolved = sum(not item.ticket.has_solution for item in answer.items)
    if answer.by_id or 2 * unsolved <= len(answer.items):
        return 0
    others = current_desk().store.count_tickets(replace(filters, has_solution=True))
    return unsolved if others else 0


def _proposed(answer: Recommendations, ticket_id: str) -> Recommendation | None:
    """The ticket as the answer shows it; None where it isn't among the best."""
    return next((one for one in answer.every if one.ticket.id == ticket_id), None)


def _fresh(page: str) -> Response:
    """A page never taken from the browser's cache, which doesn't know what was judged since."""
    return Response(page, mimetype="text/html", headers={"Cache-Control": "no-store"})


def _kept() -> dict[str, Any]:
    """What an address says of an answer beside its query: filters, and an unusual order."""
    order = order_of(request.values)
    return {**set_filters(request.values), **({} if order == Order.BEST else {"order": order})}


def _form(query: Query, problem: str = "") -> str:
    store = current_desk().store
    return render_template(
        "ask.html",
        subject=" ".join(query.subject.splitlines()),  # its field would run lines together
        description=query.description,
        filled=query.id if query.ticket_id else "",
        problem=problem,
        count=store.count_tickets(),
        facets=store.facets(),
        set_filters=set_filters(request.values),
    )


def _written() -> Query:
    """The query of a form: the ticket's that the form was filled with, as long as nobody changed a
    word of it, else a new one."""
    query = Query(*_texts(request.form))
    filled = request.form.get("filled") and current_desk().store.get_query(request.form["filled"])
    if filled and _words(filled) == _words(query):
        return filled
    return Query.typed(query.subject, query.description)


def _words(query: Query) -> tuple[list[str], list[str]]:
    return query.subject.split(), query.description.split()


def _texts(given: MultiDict[str, str]) -> tuple[str, str]:
    return _text(given.get("subject", "")), _text(given.get("description", ""))


def _text(typed: str) -> str:
    """Typed text with the line ends that programs use, so that the API gives it the same id."""
    return typed.replace("\r\n", "\n").strip()
