"""The pages of topics: all of them by share of tickets, and one with its months and tickets."""

from flask import Blueprint, render_template, request

from ticketing.errors import NotFound
from web.charts import month_chart
from web.context import current_desk
from web.forms import filters_of, set_filters, valid
from web.schemas import PageArgs

topic_pages = Blueprint("topics", __name__)

EXAMPLES = 3
A_PAGE = 20
"""Tickets shown at a time."""


@topic_pages.get("/topics")
def overview() -> str:
    """What the tickets are about: topics, their shares, their months and examples."""
    desk, filters = current_desk(), filters_of(request.args)
    survey = desk.topics(filters)
    return render_template(
        "topics.html",
        survey=survey,
        charts={trend.topic.number: month_chart(trend.months) for trend in survey.topics},
        examples={
            trend.topic.number: desk.topic_tickets(trend.topic.number, filters, EXAMPLES)
            for trend in survey.topics
        },
        facets=desk.store.facets(),
        set_filters=set_filters(request.args),
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
