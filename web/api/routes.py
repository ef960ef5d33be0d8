"""The JSON API: the page's use cases for programs, described at /openapi.json."""

from typing import Any

from apiflask import APIBlueprint
from flask import Response, url_for

from ticketing.errors import NotFound
from ticketing.history import Deed
from ticketing.retrieval.topics import TopicTrend
from ticketing.tickets import Query, Ticket
from web.api.bodies import check_body
from web.api.statuses import CONFLICT, NOT_FOUND, PUT_TICKET
from web.context import audit, current_desk, current_person, known_query, known_ticket, topic_titles
from web.judging import judge_of, record
from web.schemas.requests import (
    FiltersIn,
    JudgmentIn,
    QueryArgs,
    RecommendIn,
    Search,
    SimilarIn,
    TicketIn,
    TopicArgs,
    TopicName,
)
from web.schemas.responses import (
    JudgmentOut,
    QueryAnswerOut,
    RecommendationsOut,
    TicketOut,
    TopicsOut,
    TopicTicketsOut,
)
from web.schemas.written import written
from web.security import guard_api

api = APIBlueprint("api", __name__, url_prefix="/api", tag="Ticketing")
api.before_request(guard_api)
api.before_request(check_body)


@api.post("/recommend")
@api.input(RecommendIn, arg_name="asked")
@api.output(RecommendationsOut)
@api.doc(responses=CONFLICT)
def recommend(asked: RecommendIn) -> Response:
    """The best past tickets for a new problem."""
    return _answer(Query.typed(asked.subject, asked.description), asked)


@api.post("/similar")
@api.input(SimilarIn, arg_name="asked")
@api.output(RecommendationsOut)
@api.doc(responses=NOT_FOUND | CONFLICT)
def similar(asked: SimilarIn) -> Response:
    """The best past tickets for a ticket of the desk, which is not proposed itself."""
    return _answer(known_ticket(asked.ticket_id).as_query, asked)


def _answer(query: Query, asked: Search) -> Response:
    filters, person = asked.filters.filters(), current_person().name
    how = asked.limit, asked.exhaustive, person, asked.order
    found = current_desk().recommend(query, filters, *how)
    return Response(written(found), mimetype="application/json")


@api.get("/queries/<query_id>")
@api.input(QueryArgs, location="query", arg_name="args")
@api.output(QueryAnswerOut)
@api.doc(responses=CONFLICT)
def query_answer(query_id: str, args: QueryArgs) -> dict[str, Any]:
    """The present answer to an earlier query, with your grades and those of all judges."""
    query = known_query(query_id)
    found = current_desk().recommend(query, args.filters(), args.limit, order=args.order)
    grades = current_desk().grades(query_id, current_person().name)
    answer = RecommendationsOut.model_validate(found).model_dump(mode="json")
    return {
        **answer,
        "grades": {ticket: grade.name for ticket, grade in grades.items()},
        "judgments": current_desk().judgments_of(query_id),
    }


@api.post("/judgments")
@api.input(JudgmentIn, arg_name="judged")
@api.output(JudgmentOut)
@api.doc(responses=NOT_FOUND | CONFLICT)
def judge(judged: JudgmentIn) -> dict[str, str | None]:
    """Grade a ticket for a query, or take the grade back with null."""
    replaced = record(judged)
    grade = current_desk().grades(judged.query_id, judge_of(judged)).get(judged.ticket_id)
    return {
        "query_id": judged.query_id,
        "ticket_id": judged.ticket_id,
        "grade": None if grade is None else grade.name,
        "replaced": replaced,
    }


@api.get("/tickets/<path:ticket_id>")
@api.output(TicketOut)
def get_ticket(ticket_id: str) -> Ticket:
    """One ticket."""
    return known_ticket(ticket_id)


@api.put("/tickets/<path:ticket_id>")
@api.input(TicketIn, arg_name="given")
@api.output(TicketOut)
@api.doc(responses=PUT_TICKET)
def put_ticket(ticket_id: str, given: TicketIn) -> tuple[Ticket, int, dict[str, str]]:
    """Add a ticket (201) or change it (200); the next query finds it."""
    ticket, desk = given.ticket(ticket_id), current_desk()
    counts = desk.put_tickets([ticket], keep=["groups"] if given.groups is None else [])
    audit(Deed.IMPORTED, f"ticket {ticket_id}")
    if given.groups is None:
        ticket = desk.store.get_tickets([ticket_id]).get(ticket_id, ticket)
    address = url_for("api.get_ticket", ticket_id=ticket_id)
    return ticket, 201 if counts.added else 200, {"Location": address}


@api.delete("/tickets/<path:ticket_id>")
@api.output({}, status_code=204)
def delete_ticket(ticket_id: str) -> str:
    """Delete a ticket; the next query no longer finds it."""
    desk = current_desk()
    was_there = bool(desk.store.matching_ids([ticket_id]))
    if was_there:  # before it goes, as what the store then says may be lost
        audit(Deed.DELETED, f"ticket {ticket_id}")
    if not desk.delete_tickets([ticket_id]) and not was_there:
        raise NotFound(f"There is no ticket {ticket_id}; it may have been deleted already.")
    return ""


@api.get("/topics")
@api.input(FiltersIn, location="query", arg_name="chosen")
@api.output(TopicsOut)
@api.doc(responses=CONFLICT)
def topics(chosen: FiltersIn) -> dict[str, Any]:
    """The topics of the tickets, most frequent first, in total and by month."""
    survey = current_desk().topics(chosen.filters())
    return {
        **vars(survey),
        "bundle_id": current_desk().store.serving(),
        "topics": [_trend(trend) for trend in survey.topics],
    }


@api.get("/topics/<int:number>")
@api.input(TopicArgs, location="query", arg_name="args")
@api.output(TopicTicketsOut)
@api.doc(responses=CONFLICT)
def topic(number: int, args: TopicArgs) -> dict[str, Any]:
    """A topic and the tickets whose main topic it is, newest first."""
    filters = args.filters()
    _, trend = current_desk().topic(number, filters)
    found = current_desk().topic_tickets(number, filters, args.limit, args.offset)
    return {**_trend(trend), "items": found}


@api.put("/topics/<int:number>/name")
@api.input(TopicName, arg_name="given")
@api.output({}, status_code=204)
@api.doc(responses=CONFLICT)
def name_topic(number: int, given: TopicName) -> str:
    """Name a topic; models trained later inherit the name for a topic of about the same words."""
    current_desk().name_topic(number, given.name, current_person().name)
    return ""


def _trend(trend: TopicTrend) -> dict[str, Any]:
    """A topic's trend with its number and words beside its figures."""
    return {
        **vars(trend),
        "topic": trend.topic.number,
        "title": topic_titles()[trend.topic.number],
        "words": trend.topic.words,
    }
