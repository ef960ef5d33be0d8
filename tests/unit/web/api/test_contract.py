"""Every operation keeps what /openapi.json promises, for requests that fit it and for others."""

import pytest
import schemathesis
from hypothesis import settings

from tests.api_contract import OFTEN, check, described
from tests.fake_desk import FakeDesk
from ticketing.settings import Settings


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    desk = FakeDesk(Settings(home=tmp_path_factory.mktemp("desk"), **OFTEN))
    yield described(desk)
    desk.close()


schema = schemathesis.pytest.from_fixture("api")


@schema.parametrize()
@settings(max_examples=20)
def test_the_contract_holds(case):
    check(case)
