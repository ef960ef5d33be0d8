"""The secret key, the headers, form tokens and host names."""

import re
import stat

import pytest

from tests.fake_desk import FakeDesk
from ticketing.errors import StoreError
from ticketing.settings import Settings
from web.app import create_app
from web.security import is_loopback, secret_key


@pytest.fixture
def client(tmp_path):
    return create_app(FakeDesk(Settings(home=tmp_path))).test_client()


def test_the_secret_key_is_made_once_and_private(tmp_path):
    key = secret_key(tmp_path / "home")
    assert len(key) == 64
    assert secret_key(tmp_path / "home") == key
    (file,) = (tmp_path / "home").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_two_desks_have_different_keys(tmp_path):
    assert secret_key(tmp_path / "a") != secret_key(tmp_path / "b")


def test_a_truncated_key_is_refused(tmp_path):
    (tmp_path / "secret_key").write_text("abc")
    with pytest.raises(StoreError, match="holds no secret key; delete it"):
        secret_key(tmp_path)


@pytest.mark.parametrize("address", ["/", "/api/jobs", "/static/page.css", "/nowhere", "/healthz"])
def test_every_answer_carries_the_headers(client, address):
    headers = client.get(address).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"


def test_pages_hold_nothing_that_the_policy_forbids(client):
    pages = [client.get(address).text for address in ("/", "/tickets/GT-0112", "/jobs", "/api")]
    for page in pages:
        tags = re.findall(r"<[a-z][^>]*>", page)
        assert not [tag for tag in tags if re.search(r'\s(style|on[a-z]+)="', tag)]
        assert not re.search(r"<style|(src|href)=\"(https?:)?//", page)


def test_the_session_cookie_is_kept_from_scripts_and_other_sites(client):
    cookie = client.get("/").headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie


@pytest.mark.parametrize("address", ["/", "/name", "/similar", "/queries/0123/judgments"])
@pytest.mark.parametrize("token", [{}, {"csrf_token": "forged"}])
def test_a_form_without_its_token_is_refused(client, address, token):
    client.get("/")
    answer = client.post(address, data={"subject": "a", "name": "b", **token})
    assert answer.status_code == 400
    assert "This form is no longer valid; go back, reload the page" in answer.text


def test_a_foreign_host_name_is_refused_on_a_loopback_address(client):
    answer = client.get("/api/jobs", headers={"Host": "evil.example:8000"})
    assert answer.status_code == 400 and "TICKETING_HOST" in answer.json["error"]


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000"])
def test_loopback_names_are_accepted(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 200


def test_any_host_name_is_accepted_when_serving_the_network(tmp_path):
    app = create_app(FakeDesk(Settings(home=tmp_path, host="0.0.0.0")))
    assert app.test_client().get("/", headers={"Host": "desk.example"}).status_code == 200


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("desk", False)],
)
def test_what_counts_as_loopback(host, expected):
    assert is_loopback(host) is expected
