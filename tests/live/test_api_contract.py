"""The API keeps its contract on a real Elasticsearch as well."""

import pytest
import schemathesis
from hypothesis import settings

from tests.api_contract import OFTEN, check, described
from tests.fake_desk import FakeDesk

pytestmark = pytest.mark.elasticsearch


@pytest.fixture
def api(elasticsearch_settings, elasticsearch_store):
    unlimited = elasticsearch_settings.model_copy(update=OFTEN)
    desk = FakeDesk(unlimited, store=elasticsearch_store)
    yield described(desk)
    desk.close()


schema = schemathesis.pytest.from_fixture("api")


@schema.parametrize()
@settings(max_examples=5)
def test_the_contract_holds(case):
    check(case)
