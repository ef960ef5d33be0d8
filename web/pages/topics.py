"""Pages of topics: all topics by share of tickets, and one topic with its months and tickets."""

from collections.abc import Callable

from flask import Blueprint, Response, render_template, request, url_for
from werkzeug.wrappers import Response as Redirect

from ticketing.errors import NotFound
from ticketing.retrieval.topics import TopicTrend
from web.context import current_desk, current_person, topic_titles
from web.pages.forms import back, filters_of, form_fields, set_filters, valid
from web.pages.tables import csv_file
from web.schemas.requests import PageArgs, TopicName, TopicsArgs, TopicSort
from web.views.charts import month_chart

topic_pages = Blueprint("topics", __name__)

A_PAGE = 20
"""Tickets per page."""

FIRST = 30
"""Topics shown at once; the others can be unfolded."""

LATELY = 12
"""Number of recent months whose share is compared with the overall share."""


@topic_pages.get("/topics")
def overview() -> str:
    """All topics with their shares and months."""
    desk, filters = current_desk(), filters_of(request.args)
    survey, wanted = desk.topics(filters), _wanted()
    found = chosen(survey.topics, wanted)
    return render_template(
        "topics.html",
        survey=survey,
        found=found,
        first=FIRST,
        wanted=wanted,
        charts={trend.topic.number: month_chart(trend.months) for trend in found},
        facets=desk.store.facets(),
        set_filters=set_filters(request.args),
    )


@topic_pages.get("/topics.csv")
def as_csv() -> Response:
    """The topics of matching tickets, as a table."""
    survey, titles = current_desk().topics(filters_of(request.args)), topic_titles()
    columns = ("topic", "title", "words", "tickets", "share", "share_lately")
    return csv_file(
        "topics",
        columns,
        (
            (
                trend.topic.number,
                titles[trend.topic.number],
                " ".join(trend.topic.words),
                trend.tickets,
                round(trend.share, 6),
                round(lately(trend), 6),
            )
            for trend in chosen(survey.topics, _wanted())
        ),
    )


@topic_pages.get("/topics/<int:number>")
def topic(number: int) -> str:
    """One topic: its share by month and its tickets, newest first."""
    desk, filters = current_desk(), filters_of(request.args)
    page = valid(PageArgs, {"page": request.args.get("page") or 1}).page
    survey, trend = desk.topic(number, filters)
    pages = max(1, -(-trend.tickets // A_PAGE))
    if page > pages:
        raise NotFound(f"This topic has no page {page} of tickets; its last one is {pages}.")
    return render_template(
        "topic.html",
        survey=survey,
        trend=trend,
        chart=month_chart(trend.months),
        tickets=desk.topic_tickets(number, filters, A_PAGE, (page - 1) * A_PAGE),
        page=page,
        pages=pages,
        facets=desk.store.facets(),
        set_filters=set_filters(request.args),
    )


@topic_pages.get("/topics/<int:number>.csv")
def tickets_as_csv(number: int) -> Response:
    """All tickets of a topic as a table, newest first."""
    desk, filters = current_desk(), filters_of(request.args)
    _, trend = desk.topic(number, filters)
    columns = ("id", "subject", "product", "status", "created")
    tickets = desk.topic_tickets(number, filters, max(trend.tickets, 1))
    rows = ((t.id, t.subject, t.product, t.status, t.created) for t in tickets)
    return csv_file(f"topic-{number}", columns, rows)


@topic_pages.post("/topics/<int:number>/name")
def name(number: int) -> Redirect:
    """Name a topic (an empty name restores its words as title); redirects to its page."""
    given = valid(TopicName, form_fields("name"))
    current_desk().name_topic(number, given.name, current_person().name)
    return back(url_for("topics.topic", number=number))


def chosen(topics: tuple[TopicTrend, ...], wanted: TopicsArgs) -> list[TopicTrend]:
    """The topics whose title or words contain all that is searched for, in the requested order."""
    titles = topic_titles()
    said = {t.topic.number: f"{titles[t.topic.number]} {' '.join(t.topic.words)}" for t in topics}
    sought = wanted.words.casefold().split()
    found = [t for t in topics if all(word in said[t.topic.number].casefold() for word in sought)]
    orders: dict[TopicSort, Callable[[TopicTrend], object]] = {
        TopicSort.SHARE: lambda trend: -trend.share,
        TopicSort.TITLE: lambda trend: titles[trend.topic.number].casefold(),
        TopicSort.RISING: lambda trend: trend.share - lately(trend),
    }
    return sorted(found, key=orders[wanted.sort])  # type: ignore[arg-type]


def lately(trend: TopicTrend) -> float:
    """The share of the recent months' tickets that have the topic; 0 without tickets."""
    months = trend.months[-LATELY:]
    return sum(month.tickets for month in months) / max(sum(month.of for month in months), 1)


def _wanted() -> TopicsArgs:
    given = {name: request.args[name] for name in ("sort", "words") if name in request.args}
    return valid(TopicsArgs, given)
