"""Every ticket has an address, as browsers and programs write it."""

from urllib.parse import unquote

import pytest
from flask import url_for
from hypothesis import assume, example, given
from hypothesis.strategies import text
from requests import Request

from tests.fake_desk import FakeDesk
from ticketing.limits import id_fault
from ticketing.settings import Settings
from web.app import create_app


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return create_app(FakeDesk(Settings(home=tmp_path_factory.mktemp("home"))))


def sent_to(app, endpoint, id):
    """Where a request for a ticket arrives, once what sends it has rewritten its path."""
    with app.test_request_context():
        address = url_for(endpoint, ticket_id=id)
    path = Request("GET", f"http://desk{address}").prepare().path_url
    return app.url_map.bind("desk").match(unquote(path))


@given(id=text("/.%\\ ab?#;:é&", min_size=1, max_size=6))
@example(id="a/../b")
@example(id="/a")
@example(id="a//b")
def test_every_id_that_is_taken_has_an_address(app, id):
    assume(not id_fault(id))
    for endpoint in ("pages.ticket", "api.get_ticket"):
        assert sent_to(app, endpoint, id) == (endpoint, {"ticket_id": id})


@pytest.mark.parametrize("id", ["/a", "//a", "a//b", "a b", "a\nb"])
def test_a_ticket_of_an_older_version_still_has_one(app, id):
    assert sent_to(app, "api.get_ticket", id) == ("api.get_ticket", {"ticket_id": id})
