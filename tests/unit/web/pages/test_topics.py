"""The pages of topics, and what the API says of them."""

import csv
import html
import json
import re
from datetime import date, datetime
from urllib.parse import parse_qsl, urlsplit

from tests.fake_desk import FakeDesk
from tests.unit.web.pages.test_search import post
from ticketing.settings import Settings
from ticketing.tickets import Query, Ticket
from web.app import create_app

JAN, FEB, MAR = date(2013, 1, 1), date(2013, 2, 1), date(2013, 3, 1)


def test_the_overview_lists_topics_by_share_with_words_and_examples(client):
    """Of twelve tickets 0101, 0106 and 0112 speak of exhausts; 0103 and 0107 of filters."""
    page = client.get("/topics").text
    assert re.findall(r'href="/topics/(\d+)"', page) == ["17", "3", "5"]
    assert "exhaust · spread · burner" in page
    assert "<strong>25\u00a0%</strong> 3 tickets" in page
    assert page.count('role="img" aria-label="Share of tickets by month, July 2012 to') == 3
    assert "5 of the tickets say nothing of any topic." in page
    assert "Grey months have no tickets at all." in page


def test_filters_restrict_what_is_counted_and_travel_on(client):
    page = client.get("/topics?product=SGT-300").text
    assert "2 topics in 4 tickets within your filters" in page
    assert 'href="/topics/3?product=SGT-300"' in page and "GT-0101" not in page
    one = client.get("/topics/17?product=SGT-300").text
    assert "The main topic of 1 of 4 tickets within your filters: 25\u00a0%." in one
    assert "GT-0112" in one and "GT-0106" not in one


def test_a_bad_date_is_refused_by_name(client):
    answer = client.get("/topics?created_since=2013-13-45")
    assert answer.status_code == 400
    assert "created_since: &#39;2013-13-45&#39; is no date; write one as 2013-05-31" in answer.text


def test_tickets_that_say_nothing_of_any_topic_are_not_called_unencoded(tmp_path):
    records = [Ticket(f"T-{i}", "Printer jams") for i in range(5)]
    page = create_app(FakeDesk(Settings(home=tmp_path), records)).test_client().get("/topics").text
    assert "No ticket has been encoded" not in page
    assert "5 tickets have been read, and no word of them speaks for a topic" in page


def test_tickets_without_a_date_are_counted_and_said(client, desk):
    desk.put_tickets([Ticket("U-1", "exhaust"), Ticket("U-2", "exhaust")])
    page = client.get("/topics").text
    said = "2 tickets without a date, or with one too long ago or to come, are counted but not"
    assert f"{said} drawn." in page
    assert "<strong>36\u00a0%</strong> 5 tickets" in page


def test_a_topics_page_shows_months_as_a_table_and_tickets_newest_first(client):
    page = client.get("/topics/17").text
    assert re.findall(r'href="/tickets/(GT-\d+)"', page) == ["GT-0106", "GT-0101", "GT-0112"]
    rows = re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', page)
    assert len(rows) == 26  # July 2012 to August 2014
    figures = {month: re.findall(r">([^<>]+)</td>", cells) for month, cells in rows}
    assert figures["May 2014"] == ["1", "1", "100\u00a0%"]
    assert figures["February 2014"] == ["0", "1", "0\u00a0%"]
    assert figures["August 2012"] == ["0", "0", "no tickets"]


def test_a_year_at_the_end_of_the_months_ends_there(client, desk):
    """It ran into the 0 of the scale."""
    desk.put_tickets([Ticket("N-1", "valve", created=datetime(2015, 2, 1))])
    years = re.findall(r'<text x="[\d.]+%" y="1em"([^>]*)>(\d+)<', client.get("/topics/17").text)
    assert years == [("", "2013"), ("", "2014"), (' text-anchor="end"', "2015")]


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


def test_a_topic_has_one_title_wherever_it_is_named(client, desk):
    address = desk.store.put_query(Query("Exhaust spread high"))
    page = client.get(f"/queries/{address}").text
    titles = set(re.findall(r'href="/topics/17">([^<]+)</a>', page))
    assert titles == set(re.findall(r"<h1>([^<]+)</h1>", client.get("/topics/17").text))


def test_a_ticket_has_a_page_before_the_first_model(tmp_path):
    client = create_app(FakeDesk(Settings(home=tmp_path), serves=False)).test_client()
    assert client.get("/tickets/GT-0101").status_code == 200
    assert client.get("/topics").status_code == 409


def numbers(page):
    return re.findall(r'href="/topics/(\d+)"', page)


def test_topics_are_found_by_words_and_sorted(client):
    assert numbers(client.get("/topics?words=PRESS").text) == ["3"]
    assert numbers(client.get("/topics?sort=title").text) == ["17", "3", "5"]
    assert "No topic’s title or words hold “coffee”" in client.get("/topics?words=coffee").text
    assert client.get("/topics?sort=size").status_code == 400


def test_beyond_the_first_topics_the_others_unfold(client, monkeypatch):
    monkeypatch.setattr("web.pages.topics.FIRST", 2)
    page = client.get("/topics").text
    assert '<details class="more">' in page and "<summary>1 more topic</summary>" in page
    assert page.count('<li id="t') == 3
    assert '<details class="more" open>' in client.get("/topics?sort=title").text  # read by letter
    assert "more topic" not in client.get("/topics?words=exhaust").text


def test_rising_topics_are_those_of_late(client, desk):
    desk.put_tickets([Ticket(f"N-{i}", "valve", created=datetime(2016, 1, 1)) for i in range(2)])
    assert numbers(client.get("/topics?sort=rising").text)[0] == "5"


def test_a_topic_is_named_everywhere_until_the_name_is_taken_back(client, desk):
    address = desk.store.put_query(Query("Exhaust spread high"))
    for name, title in (("Cold  spots", "Cold spots"), ("", "exhaust · spread · burner")):
        assert post(client, "/topics/17/name", name=name).status_code == 303
        assert f"<h1>{title}</h1>" in client.get("/topics/17").text
        for page in ("/topics", f"/queries/{address}", "/tickets/GT-0101"):
            assert f">{title}</a>" in client.get(page).text
    assert post(client, "/topics/18/name", name="x").status_code == 404
    assert post(client, "/topics/17/name", name="x" * 81).status_code == 400


def test_topics_and_their_tickets_as_tables(client):
    post(client, "/topics/17/name", name="=Exhaust")
    rows = list(csv.DictReader(client.get("/topics.csv?sort=share").text.splitlines()))
    assert [row["topic"] for row in rows] == ["17", "3", "5"]
    assert (rows[0]["title"], rows[0]["tickets"], rows[0]["share"]) == ("'=Exhaust", "3", "0.25")
    rows = list(csv.DictReader(client.get("/topics/17.csv").text.splitlines()))
    assert [row["id"] for row in rows] == ["GT-0106", "GT-0101", "GT-0112"]


def test_the_table_holds_what_the_page_shows(client):
    page = client.get("/topics?words=exhaust&sort=title&product=SGT-300").text
    link = html.unescape(re.search(r'href="(/topics\.csv[^"]*)"', page)[1])
    assert set(parse_qsl(urlsplit(link).query)) == {
        ("words", "exhaust"),
        ("sort", "title"),
        ("product", "SGT-300"),
    }


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


def test_a_program_names_a_topic(client):
    assert client.put("/api/topics/17/name", json={"name": "Exhaust"}).status_code == 204
    assert client.get("/api/topics/17").json["title"] == "Exhaust"
