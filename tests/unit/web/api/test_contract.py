"""Every operation keeps what /openapi.json promises, for requests that fit it and for others."""

import pytest
import schemathesis
from hypothesis import settings
from schemathesis.checks import positive_data_acceptance

from tests.fake_desk import FakeDesk
from tests.people import token_of
from ticketing.settings import Settings
from web.app import create_app

RULES_BETWEEN_FIELDS = {"POST /api/recommend", "POST /api/rounds"}
"""Operations that refuse some requests which fit their schema: one field must stand for another."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    desk = FakeDesk(Settings(home=tmp_path_factory.mktemp("desk")))
    yield desk
    desk.close()


@pytest.fixture(scope="module")
def token(desk):
    """What a program of an admin sends; without it, as schemathesis tries, nothing is answered."""
    return {"Authorization": f"Bearer {token_of(desk, 'ada')}"}


@pytest.fixture(scope="module")
def api(desk, token):
    return schemathesis.openapi.from_wsgi("/openapi.json", create_app(desk), headers=token)


schema = schemathesis.pytest.from_fixture("api")


@schema.parametrize()
@settings(max_examples=20)
def test_the_contract_holds(case, token):
    ruled = case.operation.label in RULES_BETWEEN_FIELDS
    case.call_and_validate(
        headers=token, excluded_checks=[positive_data_acceptance] if ruled else []
    )
