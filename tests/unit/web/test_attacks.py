"""What somebody tries from outside, and what comes of it: nothing."""

import re
import socket

import pytest
from flask import url_for

from tests.fake_desk import FakeDesk
from tests.people import signed_in
from tests.unit.web.test_server import serving
from ticketing.settings import Settings
from ticketing.tickets import Filters
from web.app import create_app
from worker.app import make_app

ASKED = {"subject": "exhaust spread high"}


@pytest.fixture
def query_id(client) -> str:
    return client.post("/api/recommend", json=ASKED).json["query"]["id"]


def held(desk: FakeDesk) -> tuple:
    """What a desk holds that somebody could change."""
    store = desk.store
    return (
        sorted(store.iter_tickets(), key=lambda ticket: ticket.id),
        list(store.judgments()),
        list(store.verdicts()),
        list(store.accounts()),
        store.serving(),
        store.jobs(),
    )


INJECTED = ["x' OR '1'='1", "' OR 1=1 --", '" OR *', "*", "%", "_", "{}", "$where", "../x", "\\"]


def test_no_text_is_a_query_language(client, desk):
    for text in INJECTED:
        answer = client.post("/api/recommend", json={**ASKED, "filters": {"product": text}}).json
        assert (answer["items"], answer["searched"]) == ([], 0), text
        assert client.get("/api/topics", query_string={"status": text}).json["tickets"] == 0
        answer = client.delete(f"/api/tickets/{text.replace('/', '%2F')}")
        assert answer.status_code in (404, 405), text
    assert desk.store.count_tickets(Filters()) == 12


OUTWARD = [
    "/static/../../pyproject.toml",
    "/static/..%2f..%2fpyproject.toml",
    "/static/%2e%2e/%2e%2e/web/app.py",
    "/static//etc/passwd",
    "/static/..\\..\\pyproject.toml",
    "/tickets/..%2f..%2fsecret_key",
    "/api/tickets/../../../etc/passwd",
    "/api/queries/..%2fsecret_key",
    "/queries/..%2f..%2fsecret_key.csv",
    "/api/rounds?queries=x&bundles=../../secret_key",
]


def test_no_name_leads_out_of_the_home(client, desk):
    key = (desk.settings.home / "secret_key").read_text()
    for address in OUTWARD:
        answer = client.get(address, follow_redirects=True)
        assert answer.status_code in (404, 405), address
        assert key not in answer.text


def test_no_address_that_is_only_read_changes_anything(client, desk, query_id):
    values = {"query_id": query_id, "ticket_id": "GT-0101", "number": 17, "filename": "page.css"}
    before = held(desk)
    shown = 0
    with client.application.test_request_context():
        addresses = [
            url_for(rule.endpoint, **{name: values[name] for name in rule.arguments})
            for rule in client.application.url_map.iter_rules()
            if "GET" in (rule.methods or ()) and rule.arguments <= values.keys()
        ]
    for address in addresses:
        shown += client.get(address).status_code == 200
        client.get(address, query_string={"subject": "pump"})
        client.head(address)
        client.options(address)
    assert shown > 20
    assert held(desk) == before


def test_trace_is_not_answered(client):
    for address in ("/", "/api/jobs", "/healthz"):
        answer = client.open(address, method="TRACE", headers={"Cookie": "session=secret"})
        assert answer.status_code == 405 and "secret" not in answer.text


def test_every_answer_is_private_to_who_asked(client, query_id):
    for address in ("/", "/jobs", f"/queries/{query_id}", "/api/jobs", "/topics.csv"):
        said = client.get(address).headers["Cache-Control"]
        assert "private" in said or "no-store" in said, address


def test_a_download_has_a_name_of_our_own(client, query_id):
    for address in (f"/queries/{query_id}.csv", "/jobs.csv", "/topics.csv", "/history.csv"):
        said = client.get(address).headers["Content-Disposition"]
        assert re.fullmatch(r'attachment; filename="[a-z0-9-]+\.csv"', said), said
    for name in ("%0d%0aSet-Cookie:%20a=b", "a%22;filename=%22b.exe"):
        assert client.get(f"/queries/{name}.csv").status_code == 404


def test_a_parameter_given_twice_counts_once(client):
    answer = client.get("/api/topics?product=SGT-300&product=SGT-400").json
    assert answer == client.get("/api/topics?product=SGT-300").json


def test_password_fields_hide_and_take_what_is_pasted(desk):
    client = signed_in(desk, "ann")
    pages = [
        client.get("/account").text,
        client.get("/people").text,
        create_app(desk).test_client().get("/sign-in").text,
    ]
    for page in pages:
        fields = re.findall(r"<input[^>]*password[^>]*>", page)
        assert fields
        for field in fields:
            assert 'type="password"' in field and 'autocomplete="' in field
            assert "off" not in field and "paste" not in field


def test_every_page_leads_to_sign_out(desk):
    client = signed_in(desk, "ann")
    for address in ("/", "/jobs", "/topics", "/history", "/account", "/people", "/api"):
        assert 'action="/sign-out"' in client.get(address).text, address


def test_workers_take_json_alone(tmp_path):
    app = make_app(Settings(home=tmp_path))
    assert app.conf.accept_content == ["json"]
    assert app.conf.task_serializer == "json"


def sent(request: bytes) -> bytes:
    """All that the server answers."""
    with serving() as port, socket.create_connection(("127.0.0.1", port), timeout=10) as sender:
        sender.sendall(request)
        sender.shutdown(socket.SHUT_WR)
        answer = b""
        while some := sender.recv(2**20):
            answer += some
    return answer


CHUNKED = b"Transfer-Encoding: chunked\r\n"


def test_a_message_ends_where_its_header_says():
    """Else what stands behind its body is a request that a proxy did not see."""
    begun = b"POST /slow/0 HTTP/1.1\r\nHost: localhost\r\n"
    for lengths in (
        b"Content-Length: 5\r\nContent-Length: 0\r\n",
        b"Content-Length: -1\r\n",
        b"Content-Length: +5\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
    ):
        answer = sent(begun + lengths + b"\r\n0\r\n\r\n")
        assert re.match(rb"HTTP/1.1 (400|501) ", answer), lengths
        assert answer.count(b"HTTP/1.1 ") == 1
    answer = sent(begun + b"Content-Length: 50\r\n" + CHUNKED + b"\r\n0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200")  # the length beside chunks does not count
