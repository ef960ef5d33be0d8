"""Every page that is a list is also a table and JSON."""

import csv
import io
import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.people import signed_in
from ticketing.cells import FORMULA
from ticketing.tickets import Filters, Grade, Query
from web.pages.tables import csv_file

LISTS = [
    "/audit",
    "/history",
    "/jobs",
    "/judging/agreement",
    "/models",
    "/people",
    "/quality",
    "/topics",
    "/topics/17",
    "/unanswered",
]
FORMS = {"CSV": "text/csv", "JSON": "application/json", "JSON Lines": "application/jsonl"}


@pytest.fixture
def client(client, desk):
    """Of a desk that was asked, and that has a model which can be listed."""
    desk.save_bundle(30)
    query = Query("Exhaust spread high")
    desk.ask(query, Filters(), "local")
    desk.judge(query.id, "GT-0101", Grade.YES, "local")
    return client


@pytest.mark.parametrize("address", LISTS)
def test_a_list_is_also_a_table_and_json(client, address):
    page = client.get(address).text
    links = dict(re.findall(r'(?s)<a href="([^"]+)">(CSV|JSON(?: Lines)?)</a>', page))
    assert {"CSV"} < set(links.values()), address
    for path, form in links.items():
        answer = client.get(unescape(path))
        assert (answer.status_code, answer.mimetype) == (200, FORMS[form]), path
        if form == "CSV":
            rows = list(csv.DictReader(answer.text.splitlines()))
            assert all(None not in row and None not in row.values() for row in rows), path


def test_a_subject_of_one_long_word_is_shown_as_far_as_it_fits(client, desk):
    desk.ask(Query("see " + "x" * 200), Filters(), "local")
    assert f">see {'x' * 105}…</a>" in client.get("/history").text


@given(st.lists(st.tuples(st.text(";=-,\t\r\n\"'|a", max_size=7), st.text()), max_size=3))
def test_no_cell_of_a_list_is_a_formula_whatever_parts_it(rows):
    """Only the first character of a cell was looked at, as a reader of commas finds it."""
    table = csv_file("x", ("a", "b"), rows).get_data(as_text=True)
    for separator in ",;\t|":
        for row in csv.reader(io.StringIO(table, newline=""), delimiter=separator):
            assert not [cell for cell in row if cell.startswith(FORMULA)]


def test_models_as_a_table(client, desk):
    rows = list(csv.DictReader(client.get("/models.csv").text.splitlines()))
    assert [row["id"] for row in rows] == [model["id"] for model in client.get("/api/models").json]
    assert rows[0]["about"].startswith("12 tickets, 30 labels")


def test_the_tables_of_people_are_offered_below_their_list(desk):
    page = signed_in(desk, "ann").get("/people").text
    assert page.index('class="rows people"') < page.index("The same as") < page.index('id="add"')


def test_people_as_a_table_and_json_hold_no_secret(desk):
    client = signed_in(desk, "ann", groups=["lab", "field"])
    found = {"name": "ann", "role": "admin", "groups": ["field", "lab"]}
    assert client.get("/api/people").json == [found | {"disabled": False, "openid": False}]
    [row] = csv.DictReader(client.get("/people.csv").text.splitlines())
    found["groups"] = "field, lab"
    assert row == found | {"disabled": "False", "openid": "False"}
