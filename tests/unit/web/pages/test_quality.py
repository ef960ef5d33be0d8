"""Quality over time: the page with its plots, the table, the API."""

import csv
import re
from datetime import datetime, timedelta

from ticketing.history import Asking
from ticketing.jobs import Job, JobKind, JobState
from ticketing.recommendations import Outlook
from ticketing.tickets import Filters, Grade, Query

MONDAY = datetime(2024, 3, 4, 9)
QUERY = Query("Exhaust spread high")


def ask(desk, days, bundle, outlook=Outlook.LIKELY):
    time = MONDAY + timedelta(days=days)
    asking = Asking(
        f"a{days}", "ann", time, QUERY, Filters(), bundle, outlook, 0.5, ("GT-0101", "GT-0102")
    )
    desk.store.add_events([asking])


def fill(desk):
    for days, bundle in ((0, "b1"), (8, "b1"), (14, "b2")):
        ask(desk, days, bundle)
    ask(desk, 15, "b2", Outlook.NOTHING)
    desk.store.put_query(QUERY)
    desk.judge(QUERY.id, "GT-0102", Grade.YES, "ann")
    switch(desk, 13, "Bundle b2 serves now: better by .1.")


def switch(desk, days, said):
    time = MONDAY + timedelta(days=days)
    desk.store.put_job(Job("p", JobKind.PROMOTION, "b2", JobState.DONE, 0, 0, time, message=said))


def test_before_anything_was_asked_it_says_so(client):
    assert "Nothing has been asked yet." in client.get("/quality").text


def test_plots_stand_beside_a_table_and_a_switch_is_marked(client, desk):
    fill(desk)
    page = client.get("/quality").text
    summaries = re.findall(r'class="spark lines" role="img" aria-label="([^"]+)"', page)
    assert len(summaries) == 4
    assert summaries[1] == (
        "YES among the ten by week: week of 4 March 2024, model b1: 100\u00a0%; "
        "week of 18 March 2024, model b2: 100\u00a0%"
    )
    ends = '<p class="ends" aria-hidden="true"><span>4 March 2024</span><span>18 March 2024</span>'
    assert page.count(ends) == 4
    assert page.count('class="switch"') == 4 and page.count("<circle") == 12
    assert "Bundle b2 serves now: better by .1." in page
    assert "style=" not in page.split("<main", 1)[1]
    rows = re.findall(r'<tr><th scope="row">(\d+ \w+ 2024)</th>', page)
    assert rows == ["18 March 2024", "11 March 2024", "4 March 2024"]


def test_a_switch_of_the_last_week_is_marked(client, desk):
    """It was drawn by its day, which lies right of the last week's Monday and so of the plot."""
    for days, bundle in ((0, "b1"), (7, "b1"), (9, "b2")):
        ask(desk, days, bundle)
    switch(desk, 8, "Bundle b2 serves now.")
    places = re.findall(r'class="switch" x1="([^"]+)"', client.get("/quality").text)
    assert places and set(places) == {"98.0%"}


def test_the_same_as_table_and_by_the_api(client, desk):
    fill(desk)
    rows = list(csv.DictReader(client.get("/quality.csv").text.splitlines()))
    assert [(row["week"], row["bundle_id"]) for row in rows] == [
        ("2024-03-04", "b1"),
        ("2024-03-11", "b1"),
        ("2024-03-18", "b2"),
    ]
    assert (rows[2]["asked"], rows[2]["no_match"], rows[2]["judged_at_10"]) == ("2", "0.5", "0.5")
    found = client.get("/api/quality").json
    assert (found["overall"]["asked"], found["overall"]["yes_at_1"]) == (4, 0.0)
    [switch] = found["switches"]
    assert (switch["before"]["asked"], switch["after"]["no_match"]) == (2, 0.5)
