"""Checks that hold for every operation of the API, requested by a program with all permissions."""

import schemathesis
from schemathesis.checks import positive_data_acceptance
from schemathesis.schemas import BaseSchema

from tests.people import token_of
from ticketing.desk import Desk
from web.app import create_app

OFTEN = {"rate_person": 10**6, "rate_address": 10**6}
"""Settings of a desk with very high rate limits."""

RULES_BEYOND_SCHEMA = {
    "POST /api/recommend",
    "POST /api/rounds",
    "POST /api/imports",
    "PUT /api/tickets/{ticket_id}",
}
"""Operations that refuse some requests although they fit their schema: one field must replace
another, a file must hold tickets, and a ticket's id must not contain white space or control
characters."""


def described(desk: Desk) -> BaseSchema:
    """The API as /openapi.json describes it to an admin's program."""
    sent = {"Authorization": f"Bearer {token_of(desk, 'ann')}"}
    schema = schemathesis.openapi.from_wsgi("/openapi.json", create_app(desk), headers=sent)
    schema.config.update(headers=sent)
    return schema


def check(case: schemathesis.Case) -> None:
    """Send a request and check the answer against the API's description."""
    ruled = case.operation.label in RULES_BEYOND_SCHEMA
    case.call_and_validate(excluded_checks=[positive_data_acceptance] if ruled else [])
