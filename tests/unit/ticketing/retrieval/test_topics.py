"""Shares of topics and their months, charts of them, the pages and the API: worked out by hand."""

import json
import re
from collections import Counter
from datetime import date, datetime
from types import SimpleNamespace

import pytest

from tests.fake_desk import FakeDesk, topic_model
from tests.fake_records import tickets
from ticketing.errors import NotFound, NotReady
from ticketing.retrieval.topics import (
    MonthCount,
    Topic,
    describe,
    main_topics,
    months_between,
    survey,
)
from ticketing.settings import Settings
from ticketing.tickets import Query, Ticket
from web.app import create_app
from web.charts import month_chart, percent

JAN, FEB, MAR = date(2013, 1, 1), date(2013, 2, 1), date(2013, 3, 1)


@pytest.fixture
def desk(tmp_path):
    return FakeDesk(Settings(home=tmp_path))


@pytest.fixture
def client(desk):
    return create_app(desk).test_client()


def counted(counts):
    """The survey of a store that counts so."""
    return survey(SimpleNamespace(topic_counts=lambda *_: Counter(counts)), topic_model())


# counting ------------------------------------------------------------------------


def test_shares_are_of_all_tickets_and_months_run_without_gaps():
    """Ten tickets: topic 3 has two in January and one in March, topic 5 four of no date."""
    found = counted({(3, JAN): 2, (3, MAR): 1, (5, None): 4, (17, JAN): 2, (None, MAR): 1})
    assert [(t.topic.number, t.tickets, t.share) for t in found.topics] == [
        (5, 4, 0.4),
        (3, 3, 0.3),
        (17, 2, 0.2),
    ]
    assert found.topics[1].months == (
        MonthCount(JAN, 2, 4),
        MonthCount(FEB, 0, 0),
        MonthCount(MAR, 1, 2),
    )
    assert [month.share for month in found.topics[1].months] == [0.5, None, 0.5]
    assert (found.tickets, found.without_topic, found.undrawn) == (10, 1, 4)
    assert found.all_months == ((JAN, 4), (FEB, 0), (MAR, 2))


def test_a_topic_without_tickets_is_not_listed_but_has_a_trend():
    found = counted({(3, JAN): 1})
    trend = found.trend(Topic(5, ("valve",)))
    assert (trend.tickets, trend.share, trend.months) == (0, 0, (MonthCount(JAN, 0, 1),))


def test_nothing_counted_is_no_topics():
    found = counted({})
    assert (found.topics, found.tickets, found.undrawn, found.all_months) == ((), 0, 0, ())


def test_months_cross_years():
    assert months_between([date(2013, 2, 1), None, date(2012, 11, 1)]) == [
        date(2012, 11, 1),
        date(2012, 12, 1),
        JAN,
        FEB,
    ]
    assert months_between([None]) == []


def test_a_mistyped_year_is_counted_and_not_drawn():
    """240 months that end in January 2013 begin in February 1993."""
    found = counted({(3, date(213, 1, 1)): 1, (3, date(1993, 2, 1)): 1, (3, JAN): 1})
    assert len(found.all_months) == 240
    assert found.all_months[0] == (date(1993, 2, 1), 1)
    assert (found.tickets, found.undrawn) == (3, 1)


def test_the_main_topic_counts_subject_description_and_solution():
    asked = [
        Ticket("a", "Filter", "valve", "pressure low"),
        Ticket("b", "no such word"),
        Ticket("c", "", "burner", ""),
    ]
    assert main_topics(topic_model(), asked) == [3, None, 17]


def test_a_model_without_topics_says_so_and_gives_none():
    model = topic_model()
    model.topics = None
    assert main_topics(model, tickets()) == [None] * 12
    with pytest.raises(NotReady, match="has no topics: its network was trained without channel T"):
        survey(None, model)


@pytest.mark.parametrize("number", [-1, 18])
def test_a_topic_that_the_model_does_not_have_is_not_found(number):
    with pytest.raises(NotFound, match=f"no topic {number}"):
        describe(topic_model(), number)


# drawing -------------------------------------------------------------------------


def test_bars_stand_a_month_apart_under_a_round_top():
    """Shares of 0, none and 0.24 under 0.3: the last is 80 percent high and the first is 0."""
    chart = month_chart([MonthCount(JAN, 0, 4), MonthCount(FEB, 0, 0), MonthCount(MAR, 6, 25)])
    assert [(bar.x, bar.height) for bar in chart.bars] == [(0, 0), (33.333, None), (66.667, 80)]
    assert (chart.top, chart.month, chart.width) == (0.3, 33.333, 26.667)
    assert chart.bars[2].words == "March 2013: 6 of 25 tickets (24 %)"
    assert chart.bars[1].words == "February 2013: no tickets at all"
    assert chart.outline == "M66.667 100v-80.0h26.667V100z"
    assert chart.gaps == "M33.333 0h33.333V100h-33.333z"
    assert chart.years == ((0, 2013),)
    assert chart.summary == (
        "Share of tickets by month, January 2013 to March 2013: "
        "at most 24 %, in March 2013; 1 months without any ticket."
    )


def test_a_long_run_names_every_second_year():
    months = [MonthCount(date(2000 + i // 12, i % 12 + 1, 1), 0, 1) for i in range(12 * 12)]
    assert [year for _, year in month_chart(months).years] == [2000, 2002, 2004, 2006, 2008, 2010]


def test_no_months_draw_nothing():
    chart = month_chart([])
    assert (chart.bars, chart.summary) == ((), "No ticket has a date.")


@pytest.mark.parametrize(
    ("share", "said"),
    [(0, "0 %"), (1, "100 %"), (0.123, "12 %"), (0.05, "5 %"), (0.014, "1.4 %"), (3e-4, "0.03 %")],
)
def test_shares_are_written_short(share, said):
    assert percent(share) == said


# pages ---------------------------------------------------------------------------


def test_the_overview_lists_topics_by_share_with_words_and_examples(client):
    """Of twelve tickets 0101, 0106 and 0112 speak of exhausts; 0103 and 0107 of filters."""
    page = client.get("/topics").text
    assert re.findall(r'href="/topics/(\d+)"', page) == ["17", "3", "5"]
    assert "exhaust · spread · burner" in page
    assert "<strong>25 %</strong> 3 tickets" in page
    assert page.count('role="img" aria-label="Share of tickets by month, July 2012 to') == 3
    assert 'href="/tickets/GT-0106"' in page and "GT-0105" not in page
    assert "5 of the tickets say nothing of any topic." in page
    assert "Grey months have no tickets at all." in page


def test_filters_restrict_what_is_counted_and_travel_on(client):
    page = client.get("/topics?product=SGT-300").text
    assert "2 topics in 4 tickets within your filters" in page
    assert 'href="/topics/3?product=SGT-300"' in page and "GT-0101" not in page
    one = client.get("/topics/17?product=SGT-300").text
    assert "The main topic of 1 of 4 tickets within your filters: 25 %." in one
    assert "GT-0112" in one and "GT-0106" not in one


def test_a_bad_date_is_refused_by_name(client):
    answer = client.get("/topics?created_since=2013-13-45")
    assert answer.status_code == 400 and "created_since: " in answer.text


def test_tickets_without_a_date_are_counted_and_said(client, desk):
    desk.put_tickets([Ticket("U-1", "exhaust"), Ticket("U-2", "exhaust")])
    page = client.get("/topics").text
    assert "2 tickets without a date, or with one too long ago, are counted but not drawn." in page
    assert "<strong>36 %</strong> 5 tickets" in page


def test_a_topics_page_shows_months_as_a_table_and_tickets_newest_first(client):
    page = client.get("/topics/17").text
    assert re.findall(r'href="/tickets/(GT-\d+)"', page) == ["GT-0106", "GT-0101", "GT-0112"]
    rows = re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', page)
    assert len(rows) == 26  # July 2012 to August 2014
    figures = {month: re.findall(r">([^<>]+)</td>", cells) for month, cells in rows}
    assert figures["May 2014"] == ["1", "1", "100 %"]
    assert figures["February 2014"] == ["0", "1", "0 %"]
    assert figures["August 2012"] == ["0", "0", "no tickets"]


def test_tickets_of_a_topic_come_in_pages(client, desk):
    desk.put_tickets(
        [Ticket(f"N-{i:02}", "valve", created=datetime(2015, 1, 1 + i)) for i in range(25)]
    )
    first, second = client.get("/topics/5").text, client.get("/topics/5?page=2").text
    assert "N-24" in first and "N-04" not in first and "Page 1 of 2" in first
    assert "N-04" in second and "N-24" not in second and "page=1" in second
    answer = client.get("/topics/5?page=3")
    assert answer.status_code == 404 and "no page 3" in answer.text
    assert client.get("/topics/5?page=x").status_code == 400


def test_a_topic_without_main_tickets_has_a_page_and_one_that_is_none_has_not(client):
    assert "has this as its main topic" in client.get("/topics/6").text
    answer = client.get("/topics/18")
    assert answer.status_code == 404 and "There is no topic 18" in answer.text


def test_a_model_without_topics_is_a_friendly_sentence(client, desk):
    desk.ranker.model.topics = None
    answer = client.get("/topics")
    assert answer.status_code == 409 and "has no topics" in answer.text
    assert client.get("/tickets/GT-0101").status_code == 200


def test_ticket_and_reasons_lead_to_the_topic(client, desk):
    assert 'href="/topics/17"' in client.get("/tickets/GT-0101").text
    assert "/topics/" not in client.get("/tickets/GT-0108").text.split("<main", 1)[1]
    address = desk.store.put_query(Query("Exhaust spread high"))
    assert 'href="/topics/17"' in client.get(f"/queries/{address}").text


def test_a_ticket_has_a_page_before_the_first_model(tmp_path):
    client = create_app(FakeDesk(Settings(home=tmp_path), serves=False)).test_client()
    assert client.get("/tickets/GT-0101").status_code == 200
    assert client.get("/topics").status_code == 409


# API -----------------------------------------------------------------------------


def test_the_api_gives_topics_with_their_months(client):
    answer = client.get("/api/topics?product=SGT-300").json
    assert (answer["bundle_id"], answer["tickets"], answer["undrawn"]) == ("fake-bundle", 4, 0)
    assert [(t["topic"], t["tickets"], t["share"]) for t in answer["topics"]] == [
        (3, 1, 0.25),
        (17, 1, 0.25),
    ]
    assert answer["topics"][1]["words"] == ["exhaust", "spread", "burner"]
    months = answer["topics"][1]["months"]
    assert months[0] == {"month": "2013-02-01", "tickets": 0, "of": 1, "share": 0}
    assert months[1] == {"month": "2013-03-01", "tickets": 0, "of": 0, "share": None}


def test_the_api_gives_a_topics_tickets_in_pages(client):
    answer = client.get("/api/topics/17?limit=1&offset=1").json
    assert (answer["topic"], answer["tickets"]) == (17, 3)
    assert [item["id"] for item in answer["items"]] == ["GT-0101"]
    assert client.get("/api/topics/18").json == {
        "error": "There is no topic 18; another model may have had one."
    }
    assert json.loads(client.get("/api/topics/17?limit=0").text)["error"].startswith("limit: ")
