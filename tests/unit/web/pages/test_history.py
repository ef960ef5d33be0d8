"""What was asked, saved, and what the knowledge base lacks: pages, tables and API."""

import csv
import re
from dataclasses import replace

import pytest

from tests.fake_desk import FakeDesk
from tests.people import signed_in
from tests.unit.web.pages.test_search import post
from ticketing.history import Asking
from ticketing.recommendations import Outlook
from ticketing.settings import Settings
from ticketing.tickets import Filters, Grade, Query
from web.app import create_app
from web.pages.tables import cell

EXHAUST = {"subject": "Exhaust spread high", "description": "unit trips on start"}
NOTHING = {"subject": "The coffee machine is loud"}


def table(client, address) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer.mimetype == "text/csv" and "attachment" in answer.headers["Content-Disposition"]
    return list(csv.DictReader(answer.text.splitlines()))


def test_asking_is_remembered_with_what_was_answered_then(desk):
    post(signed_in(desk, "ann"), "/", **EXHAUST, product="SGT-400")
    [asking] = desk.store.events(Asking)
    assert (asking.person, asking.query) == ("ann", Query(**EXHAUST))
    assert asking.filters == Filters(product="SGT-400")
    assert (asking.bundle_id, asking.outlook) == ("fake-bundle", Outlook.LIKELY)
    assert asking.shown[0] == "GT-0101" and 0 < asking.chance <= 1


def test_looking_at_an_answer_is_not_asking(client, desk):
    address = post(client, "/", **EXHAUST).location
    client.get(address)
    client.get("/api" + address)
    assert len(list(desk.store.events(Asking))) == 1


def test_the_history_says_whose_time_it_shows(client):
    post(client, "/", subject="pump trips")
    shown = re.compile(r'datetime="[^"]+Z" data-local="moment">[^<]+ UTC</time>')
    assert shown.search(client.get("/history").text)


def test_a_query_that_nothing_matched_well_is_listed_without_its_chance(client):
    post(client, "/", **NOTHING)
    assert "nothing matches well" in client.get("/history").text
    for address in ("/history", "/unanswered"):
        page = client.get(address).text
        assert NOTHING["subject"] in page and "chance of an answer" not in page
    assert 0 < float(table(client, "/history.csv")[0]["chance"]) < 1
    post(client, "/", **EXHAUST)
    assert "chance of an answer" in client.get("/history").text


def test_history_is_of_ones_own_name_the_last_first(desk):
    for name, asked in (("ann", EXHAUST), ("bob", NOTHING), ("ann", {"subject": "Pump leaks"})):
        post(signed_in(desk, name), "/", **asked)
    client = signed_in(desk, "ann")
    page = client.get("/history").text
    assert re.findall(r">(Pump leaks|Exhaust spread high|The coffee.*?)</a>", page) == [
        "Pump leaks",
        "Exhaust spread high",
    ]
    assert [row["subject"] for row in table(client, "/history.csv")] == [
        "Pump leaks",
        "Exhaust spread high",
    ]
    first = client.get("/api/history").json[0]
    assert (first["query"]["subject"], first["person"]) == ("Pump leaks", "ann")
    assert first["outlook"] in ("likely", "possible", "nothing") and first["time"]


def test_history_comes_in_pages(client, desk):
    for i in range(51):
        desk.ask(Query(f"pump {i}"), Filters(), "local")
    assert ">pump 0<" not in client.get("/history").text
    assert ">pump 0<" in client.get("/history?page=2").text
    last = client.get("/api/history?limit=2&offset=49").json
    assert [asking["query"]["subject"] for asking in last] == ["pump 1", "pump 0"]
    assert len(table(client, "/history.csv")) == 51
    answer = client.get("/history?page=3")
    assert answer.status_code == 404 and "it has 2 pages" in answer.text


def test_a_query_is_saved_with_its_filters_until_it_is_removed(client, desk):
    address = post(client, "/", **EXHAUST).location
    filters = {"product": "SGT-400", "created_since": "2013-01-01"}
    for kept in ("yes", "yes", ""):
        post(client, f"{address}/saved", kept=kept, **filters)
        saved = client.get("/api/saved").json
        assert len(saved) == bool(kept)
        page = client.get("/history").text
        assert ('id="saved"' in page) == bool(kept)
        if kept:
            assert f"{address}?product=SGT-400&amp;created_since=2013-01-01" in page
            [row] = table(client, "/saved.csv")
            assert row["address"].endswith(f"{address}?product=SGT-400&created_since=2013-01-01")


def test_only_the_list_of_saved_queries_offers_to_remove_one(client):
    """Beside a saved query, what was asked had a button "Remove", as if it were deleted there."""
    address = post(client, "/", **EXHAUST).location
    post(client, f"{address}/saved", kept="yes")
    saved, asked = client.get("/history").text.split('id="asked"')
    assert ">Remove<" in saved and ">Saved ✓<" in asked and ">Remove<" not in asked


def test_an_answer_says_whether_it_is_saved_with_its_filters(client):
    address = post(client, "/", **EXHAUST).location
    post(client, f"{address}/saved", kept="yes", product="SGT-400")
    assert "Saved ✓" in client.get(f"{address}?product=SGT-400").text
    assert "Saved ✓" not in client.get(address).text


def test_an_answer_and_the_jobs_as_tables(client):
    address = post(client, "/", **EXHAUST).location
    rows = table(client, f"{address}.csv?order=newest&product=SGT-400")
    assert sorted(row["rank"] for row in rows)[0] == "1" and rows[0]["ticket_id"] == "GT-0106"
    assert rows[0]["outlook"] == "likely" and 0 < float(rows[0]["chance"]) < 1
    nothing = table(client, f"{post(client, '/', **NOTHING).location}.csv")
    assert {(row["outlook"], row["chance"], row["score"]) for row in nothing} == {
        ("nothing", "", "")
    }
    assert [row["state"] for row in table(client, "/jobs.csv")] == ["running", "done"]
    assert client.get("/queries/unknown.csv").status_code == 404


def test_a_program_saves_and_removes(client):
    """To remove it without its filters was answered as if it were removed."""
    query_id = client.post("/api/recommend", json=EXHAUST).json["query"]["id"]
    assert client.put(f"/api/saved/{query_id}", json={"product": "SGT-400"}).status_code == 204
    assert client.get("/api/saved").json[0]["filters"]["product"] == "SGT-400"
    other = client.delete(f"/api/saved/{query_id}")
    assert other.status_code == 404 and "with these filters" in other.json["error"]
    assert client.delete(f"/api/saved/{query_id}?product=SGT-400").status_code == 204
    assert client.get("/api/saved").json == []
    assert client.put("/api/saved/unknown", json={}).status_code == 404


def test_what_is_lacking_is_shown_by_topic_and_ends_with_an_answer(client, desk):
    post(client, "/", **EXHAUST)
    post(client, "/", **NOTHING)
    page = client.get("/unanswered").text
    assert NOTHING["subject"] in page and EXHAUST["subject"] not in page
    [row] = table(client, "/unanswered.csv")
    assert (row["topic"], row["outlook"]) == ("No topic", "nothing")
    [gap] = client.get("/api/unanswered").json
    assert gap["askings"][0]["query"]["subject"] == NOTHING["subject"]
    desk.judge(Query(**NOTHING).id, "GT-0101", Grade.YES, "bob")
    assert client.get("/api/unanswered").json == []


def test_what_is_lacking_does_not_tell_who_asked(desk):
    desk.ask(Query(**NOTHING), Filters(), "ann-of-turbines")
    eve = signed_in(desk, "eve")
    for address in ("/unanswered", "/unanswered.csv", "/api/unanswered"):
        said = eve.get(address).text
        assert NOTHING["subject"] in said and "ann-of-turbines" not in said, address


def test_the_page_of_what_is_lacking_shows_the_last_of_a_topic_and_counts_the_others(client, desk):
    for i in range(23):
        desk.ask(Query(f"no coffee {i}"), Filters(), "ann")
    page = client.get("/unanswered").text
    assert ">no coffee 3<" in page and ">no coffee 2<" not in page
    assert "and 3 earlier queries" in page and len(table(client, "/unanswered.csv")) == 23


def test_what_was_answered_later_is_lacking_no_more(desk):
    """The outlook of the last time counts, whoever asked."""
    desk.ask(Query("no tea"), Filters(), "ann")
    [asking] = desk.store.events(Asking)
    assert [len(gap.askings) for gap in desk.unanswered()] == [1]
    later = replace(asking, event_id="later", person="bob", outlook=Outlook.LIKELY)
    desk.store.add_events([later])
    assert desk.unanswered() == []


def test_the_topic_with_most_gaps_comes_first(desk):
    for subject in ("humming gearbox", "gearbox whines", "no heat", "no light", "no tea"):
        desk.ask(Query(subject), Filters(), "ann")
    assert [(gap.topic, len(gap.askings)) for gap in desk.unanswered()] == [
        ("gearbox", 2),
        ("No topic", 3),
    ]


def test_titles_of_topics_are_made_once_for_all_that_is_lacking(desk, monkeypatch):
    """They were made once for each topic, which took seconds of a large model."""
    for subject in ("gearbox hums", "filter loud", "valve squeaks", "no tea"):
        desk.ask(Query(subject), Filters(), "ann")
    asked = list(desk.store.events(Asking))
    desk.store.add_events(
        [replace(a, event_id=f"{a.event_id}-", outlook=Outlook.NOTHING) for a in asked]
    )
    made, titles = [], desk.topic_titles
    monkeypatch.setattr(desk, "topic_titles", lambda: made.append(1) or titles())
    found = {gap.topic for gap in desk.unanswered()}
    assert found == {"gearbox", "filter · pressure", "valve", "No topic"}
    assert len(made) == 1


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\n=1"])
def test_no_cell_is_a_formula(text, client):
    assert cell(text)[0] == "'" and cell(text).replace("'", "") == text
    post(client, "/", subject="pump", description=text)
    [row] = table(client, "/history.csv")
    assert not row["description"].startswith(("=", "+", "-", "@"))


def test_numbers_stay_numbers():
    assert cell(-1.5) == -1.5 and cell("a=b") == "a=b"


def test_a_desk_without_a_model_still_shows_its_history(tmp_path):
    client = create_app(FakeDesk(Settings(home=tmp_path), serves=False)).test_client()
    assert client.get("/history").status_code == client.get("/unanswered").status_code == 200
