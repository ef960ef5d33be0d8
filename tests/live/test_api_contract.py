"""The API keeps its contract on a real Elasticsearch as well."""

import pytest
import schemathesis
from hypothesis import settings

from tests.api_contract import OFTEN, check, described
from tests.fake_desk import FakeDesk
from ticketing.limits import NAME, OFFSET
from web.app import create_app

pytestmark = pytest.mark.elasticsearch


@pytest.fixture
def desk(elasticsearch_settings, elasticsearch_store):
    unlimited = elasticsearch_settings.model_copy(update=OFTEN)
    desk = FakeDesk(unlimited, store=elasticsearch_store)
    yield desk
    desk.close()


@pytest.fixture
def api(desk):
    return described(desk)


schema = schemathesis.pytest.from_fixture("api")


@schema.parametrize()
@settings(max_examples=5)
def test_the_contract_holds(case):
    check(case)


def test_what_is_as_far_or_as_long_as_allowed_is_answered_and_more_is_refused(desk):
    client = create_app(desk).test_client()
    for offset, status in ((OFFSET.most, 200), (10**6 + 1, 400)):
        assert client.get(f"/api/topics/17?offset={offset}").status_code == status
    for length, status in ((NAME.most, 201), (2**20, 400)):
        ticket = {"subject": "pump", "product": "p" * length}
        assert client.put(f"/api/tickets/T-{length}", json=ticket).status_code == status
    deep = '{"subject":' * 490 + "1" + "}" * 490
    answer = client.post("/api/recommend", data=deep, content_type="application/json")
    assert answer.status_code == 400 and "levels" in answer.json["error"]
