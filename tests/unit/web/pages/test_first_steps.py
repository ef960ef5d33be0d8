"""A new desk: the three steps instead of a form that cannot answer."""

import re
from dataclasses import replace

import pytest

from tests.fake_desk import FakeDesk
from tests.fake_records import jobs
from tests.people import signed_in
from ticketing.jobs import JobKind, JobState
from ticketing.people import Role
from ticketing.settings import Settings
from ticketing.tickets import Query
from web.app import create_app


@pytest.fixture
def empty(tmp_path):
    """A client of a desk without a ticket and a model."""
    desk = FakeDesk(Settings(home=tmp_path / "empty"), records=[], past_jobs=[], serves=False)
    yield create_app(desk).test_client()
    desk.close()


def steps(page: str) -> list[str]:
    """What stands beside each step."""
    return re.findall(r'<span class="state">(.*?)</span>', page)


def test_an_empty_desk_shows_the_steps_and_no_form(empty):
    page = empty.get("/").text
    assert steps(page) == ["next", "to do", "to do"]
    assert "ticketing import FILE" in page and 'name="subject"' not in page
    assert "reads Excel, CSV and JSON Lines files" in page, "an Excel file need not be converted"
    assert page.count('<a href="/jobs">Jobs</a> does the same') == 2


def test_whoever_may_neither_import_nor_train_is_told_whom_to_ask(tmp_path):
    """An engineer saw commands for the server alone."""
    desk = FakeDesk(Settings(home=tmp_path), records=[], past_jobs=[], serves=False)
    for role, asks in ((Role.ENGINEER, 2), (Role.SCIENTIST, 1), (Role.ADMIN, 0)):
        page = signed_in(desk, role, role).get("/").text
        assert page.count("Ask an admin to do this.") == asks
        assert page.count('<a href="/jobs">Jobs</a> does the same') == 2 - asks


def test_after_an_import_nothing_claims_to_be_searched(first_client):
    page = first_client.get("/").text
    assert steps(page) == ["done", "next", "to do"]
    assert "12 tickets are here." in page and "searched" not in page
    assert 'name="subject"' not in page


def test_one_ticket_is_one(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path), serves=False)
    desk.delete_tickets([ticket.id for ticket in desk.store.iter_tickets()][1:])
    assert "1 ticket is here." in create_app(desk).test_client().get("/").text


def test_a_training_that_has_begun_is_followed(tmp_path):
    """The page asked for a training as if none had been begun."""
    desk = FakeDesk(Settings(home=tmp_path), past_jobs=[], serves=False)
    training = replace(jobs()[0], id="t1", kind=JobKind.TRAINING, bundle_id="")
    desk.store.put_job(training)
    page = create_app(desk).test_client().get("/").text
    assert steps(page) == ["done", "next", "to do"]
    assert 'A training has begun; <a href="/jobs/t1">its page</a> says' in page
    assert "No model is there yet" not in page
    desk.store.update_job("t1", state=JobState.FAILED)
    assert "No model is there yet" in create_app(desk).test_client().get("/").text


def test_encoding_is_followed(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path), serves=False)
    desk.models = type("Models", (), {"ids": lambda self, kind: ["b1"]})()
    page = create_app(desk).test_client().get("/").text
    assert steps(page) == ["done", "done", "next"]
    assert "Encoding: 320 of 949 tickets" in page
    job = desk.store.unfinished_jobs()[0]
    desk.store.update_job(job.id, state=JobState.WAITING, done=949)
    page = create_app(desk).test_client().get("/").text
    assert steps(page) == ["done", "done", "next"] and "Encoding" not in page
    assert "waits for an admin’s yes or no" in page


@pytest.mark.parametrize("address", ["/topics", "/queries/{}"])
def test_a_page_that_needs_a_model_shows_the_steps_and_no_number_of_an_error(tmp_path, address):
    desk = FakeDesk(Settings(home=tmp_path), serves=False)
    query_id = desk.store.put_query(Query("pump"))
    answer = create_app(desk).test_client().get(address.format(query_id))
    assert answer.status_code == 409
    assert "Three steps to the first answer" in answer.text and ">409<" not in answer.text


def test_the_api_says_it_in_a_sentence(first_client):
    answer = first_client.post("/api/recommend", json={"subject": "pump"})
    assert answer.json == {"error": "No model serves yet: run `ticketing train`."}


def test_once_a_model_serves_there_is_the_form(client, desk):
    assert 'name="subject"' in client.get("/").text
    assert desk.setup().ready
