"""A model of categories, named where one that ranks tickets is asked for."""

import pytest

from tests.fake_records import tickets
from tests.unit.web.pages.test_search import post
from ticketing.desk import open_desk
from ticketing.settings import Settings
from ticketing.tickets import ModelKind, Query

QUERY = Query("exhaust spread")


@pytest.fixture
def desk(tmp_path):
    """A real desk, on which no model serves."""
    desk = open_desk(Settings(home=tmp_path))
    desk.put_tickets(tickets())
    desk.store.put_query(QUERY)
    yield desk
    desk.close()


@pytest.fixture
def categories(desk):
    facts = {"data": {"titles": 3, "categories": 2}}
    bundle_id = desk.models.save(facts, {}, {}, ModelKind.CATEGORIES)
    desk.models.share(bundle_id)
    return bundle_id


@pytest.mark.parametrize(
    "address",
    [
        f"/api/rounds?queries={QUERY.id}&bundles=MODEL",
        f"/judging/round?queries={QUERY.id}&bundles=MODEL",
        f"/judging/round.csv?queries={QUERY.id}&bundles=MODEL",
        "/api/comparison?new=MODEL&old=MODEL",
        "/models/compare?new=MODEL&old=MODEL",
    ],
)
def test_a_model_that_does_not_rank_is_refused_with_one_sentence(client, categories, address):
    answer = client.get(address.replace("MODEL", categories))
    assert answer.status_code == 400
    assert f"Bundle {categories} is of kind categories, not ranking; name" in answer.text


def test_a_damaged_model_is_still_a_fault_of_the_server(client, desk, categories):
    path = desk.models.folder / categories / "manifest.json"
    path.chmod(0o600)
    path.write_text("{}")
    assert client.get(f"/api/comparison?new={categories}&old={categories}").status_code == 500


def test_no_job_begins_that_a_model_of_another_kind_cannot_do(client, desk, categories):
    answers = [
        client.post(f"/api/models/{categories}/promote", json={}),
        client.post("/api/evaluations", json={"bundle_id": categories}),
        client.post("/api/evaluations", json={"other": categories}),
        post(client, f"/models/{categories}/promote", "/models"),
        post(client, "/jobs/evaluation", "/jobs", bundle_id=categories),
    ]
    assert [answer.status_code for answer in answers] == [400] * 5
    assert all("is of kind categories, not ranking" in answer.text for answer in answers)
    assert desk.store.jobs() == []
