"""What holds for every operation of the API, asked by a program that may do everything."""

import schemathesis
from schemathesis.checks import positive_data_acceptance
from schemathesis.schemas import BaseSchema

from tests.people import token_of
from ticketing.desk import Desk
from web.app import create_app

OFTEN = {"rate_person": 10**6, "rate_address": 10**6}
"""Settings of a desk that nobody asks too often."""

RULES_BEYOND_SCHEMA = {
    "POST /api/recommend",
    "POST /api/rounds",
    "POST /api/imports",
    "PUT /api/tickets/{ticket_id}",
}
"""Operations that refuse some requests which fit their schema: one field must stand for another,
a file must hold tickets, and no white space or control character may be in the id of a ticket."""


def described(desk: Desk) -> BaseSchema:
    """The API as /openapi.json describes it to an admin's program."""
    sent = {"Authorization": f"Bearer {token_of(desk, 'ann')}"}
    schema = schemathesis.openapi.from_wsgi("/openapi.json", create_app(desk), headers=sent)
    schema.config.update(headers=sent)
    return schema


def check(case: schemathesis.Case) -> None:
    """Send a request and hold the answer against its description."""
    ruled = case.operation.label in RULES_BEYOND_SCHEMA
    case.call_and_validate(excluded_checks=[positive_data_acceptance] if ruled else [])
