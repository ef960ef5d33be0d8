"""Every address asks who comes and what they may: all routes, all roles."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest

from tests.fake_desk import FakeDesk
from tests.fake_records import jobs
from tests.people import signed_in, token_of
from ticketing.jobs import JobKind
from ticketing.people import Actor, Permission, Role
from ticketing.settings import Settings
from ticketing.tickets import Query
from web.app import create_app
from web.guard import NEEDED, PUBLIC
from web.uploads import FILE_TYPE

VALUES = {
    "query_id": Query("pump trips").id,
    "ticket_id": "GT-0101",
    "number": 17,
    "token_id": "none",
    "filename": "page.css",
    "job_id": "training",
    "name": "report.html",
    "bundle_id": "no-bundle",
}

NOBODY = "nobody"

MAY = {
    NOBODY: set(),
    Role.ENGINEER: {"ask", "judge"},
    Role.SCIENTIST: {"ask", "judge", "judge-for-others", "evaluate", "export", "train", "jobs"},
    Role.ADMIN: set(Permission),
}
"""What each role is for, written down a second time."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    desk = FakeDesk(Settings(home=tmp_path_factory.mktemp("desk")))
    desk.store.put_query(Query("pump trips"))
    asks = {"promotion": "ask"}
    desk.store.put_job(replace(jobs()[1], id="training", kind=JobKind.TRAINING, arguments=asks))
    yield desk
    desk.close()


@pytest.fixture(scope="module")
def clients(desk):
    """A browser of somebody of each role, and one of nobody; their forms need no token here."""
    found = {role: signed_in(desk, role, role) for role in Role}
    found[NOBODY] = create_app(desk).test_client()
    for client in found.values():
        client.application.config["WTF_CSRF_ENABLED"] = False
    return found


def routes():
    """Each endpoint with a method and its address."""
    with TemporaryDirectory() as folder:
        app = create_app(SimpleNamespace(settings=Settings(home=Path(folder))))
    adapter = app.url_map.bind("localhost")
    for rule in app.url_map.iter_rules():
        address = adapter.build(rule.endpoint, {name: VALUES[name] for name in rule.arguments})
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"}):
            yield pytest.param(rule.endpoint, method, address, id=f"{method} {rule.rule}")


def refused(answer) -> bool:
    return answer.status_code in (401, 403) or "/sign-in" in (answer.location or "")


@pytest.mark.parametrize(("endpoint", "method", "address"), list(routes()))
def test_an_address_is_open_to_those_who_need_it_alone(clients, desk, endpoint, method, address):
    if endpoint == "account.sign_out":
        return  # it ends the sessions that the others use; see test_sign_in
    body = {} if address.startswith("/api/") and method in ("POST", "PUT") else None
    for who, client in clients.items():
        answer = client.open(address, method=method, json=body)
        expected = endpoint not in PUBLIC and NEEDED[endpoint] not in MAY[who]
        assert refused(answer) == expected or endpoint == "account.sign_in_now", who
        assert answer.status_code < 500, who


def test_every_address_is_in_the_table_and_nothing_else(clients):
    endpoints = {rule.endpoint for rule in clients[NOBODY].application.url_map.iter_rules()}
    assert set(NEEDED) | PUBLIC == endpoints
    assert not set(NEEDED) & PUBLIC


def test_an_address_that_is_not_in_the_table_is_refused_to_everybody(desk):
    client = signed_in(desk, "eve")
    client.application.add_url_rule("/forgotten", "forgotten", lambda: "secret")
    answer = client.get("/forgotten")
    assert answer.status_code == 403 and "secret" not in answer.text


class Unread(BytesIO):
    """A body that nobody may look into."""

    def read(self, *_):
        pytest.fail("it was read")

    readline = readinto = read


@pytest.mark.parametrize(("who", "status"), [(NOBODY, 401), (Role.ENGINEER, 403)])
@pytest.mark.parametrize("address", ["/jobs/import", "/api/imports?name=a.csv"])
def test_nothing_is_read_from_those_who_may_not_send_it(desk, clients, who, status, address):
    client = signed_in(desk, who, who) if who != NOBODY else create_app(desk).test_client()
    kind = "multipart/form-data; boundary=b" if address == "/jobs/import" else FILE_TYPE
    answer = client.post(address, input_stream=Unread(), content_length=60_000, content_type=kind)
    assert answer.status_code == status


@pytest.mark.parametrize("scope", list(Permission))
def test_a_token_opens_what_its_scope_names_alone(desk, clients, scope):
    headers = {"Authorization": f"Bearer {token_of(desk, 'programmer', scopes=[scope])}"}
    client = create_app(desk).test_client()
    for address, method, needed in (
        ("/api/jobs", "GET", "ask"),
        ("/api/quality", "GET", "evaluate"),
        ("/topics.csv", "GET", "export"),
        ("/audit.jsonl", "GET", "audit"),
        ("/api/tickets/nope", "DELETE", "delete"),
        (f"/api/rounds?queries={VALUES['query_id']}&bundles=fake-bundle", "GET", "judge"),
    ):
        answer = client.open(address, method=method, headers=headers)
        assert (answer.status_code == 403) == (scope != needed), address
        if scope != needed:
            assert f"no scope {needed}" in answer.json["error"]


def test_what_a_role_may_not_do_its_token_may_not_either(desk):
    token = token_of(desk, "lena")
    desk.change_account(Actor("ada", "here"), "lena", role=Role.ENGINEER)
    headers = {"Authorization": f"Bearer {token}"}
    client = create_app(desk).test_client()
    assert client.delete("/api/tickets/GT-0102", headers=headers).status_code == 403
    assert client.get("/api/jobs", headers=headers).status_code == 200


def test_who_can_make_a_token_with_the_missing_scope_is_not_sent_to_an_admin(desk):
    """An admin, too, was told to ask an admin."""
    client = create_app(desk).test_client()
    token = token_of(desk, "theo", Role.SCIENTIST, [Permission.ASK])
    headers = {"Authorization": f"Bearer {token}"}

    def refused() -> str:
        answer = client.get("/api/quality", headers=headers)
        assert answer.status_code == 403
        return answer.json["error"]

    assert refused() == "This token has no scope evaluate; make one that has it."
    desk.change_account(Actor("ada", "here"), "theo", role=Role.ENGINEER)
    assert refused() == "Your role, engineer, does not allow that (evaluate); ask an admin."


def test_pages_take_no_token(desk, clients):
    headers = {"Authorization": f"Bearer {token_of(desk, 'programmer')}"}
    client = create_app(desk).test_client()
    assert "/sign-in" in client.get("/account", headers=headers).location


def test_files_of_pages_take_a_token(desk, clients):
    """Scopes that opened nothing: tables and the audit were at addresses that took no token."""
    client = create_app(desk).test_client(use_cookies=False)
    headers = {"Authorization": f"Bearer {token_of(desk, 'programmer', scopes=[Permission.AUDIT])}"}
    answer = client.get("/audit.jsonl", headers=headers)
    assert answer.status_code == 200 and '"programmer"' in answer.text
    refused = client.get("/topics.csv", headers={"Authorization": "Bearer tick_none_x"})
    assert refused.status_code == 401 and "a token that is valid" in refused.json["error"]
    assert "/sign-in" in client.get("/topics.csv").location


@pytest.mark.parametrize("text", ["", "x", "tick_", "tick_none_x", "tick__", "tick_é_\ud800", "💥"])
def test_a_token_that_is_none_is_refused(desk, clients, text):
    client = create_app(desk).test_client()
    raw = f"Bearer {text}".encode("utf-8", "replace").decode("latin-1")
    answer = client.get("/api/jobs", headers={"Authorization": raw})
    assert answer.status_code == 401 and "Sign in" in answer.json["error"]
    assert answer.headers["WWW-Authenticate"] == "Bearer"
