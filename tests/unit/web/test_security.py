"""The secret key, the headers, form tokens and host names."""

import errno
import re
import stat
import tempfile

import pytest

from tests.fake_desk import FakeDesk
from ticketing.errors import InputError, StoreError
from ticketing.settings import Settings, load_settings
from web.app import create_app
from web.security import is_loopback, secret_key, serves_others


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


def test_a_home_that_takes_no_files_is_named_where_a_key_is_needed(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system", str(tmp_path / "tmp0_jr1ynf"))

    for name in ("TemporaryFile", "mkstemp"):
        monkeypatch.setattr(tempfile, name, refuse)
    with pytest.raises(InputError, match=f"The home {tmp_path} takes no files .*TICKETING_HOME"):
        secret_key(tmp_path)


WANTED = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@pytest.mark.parametrize(
    "address", ["/", "/api/jobs", "/static/page.css", "/nowhere", "/healthz", "/readyz"]
)
def test_every_answer_carries_the_headers(client, address):
    headers = client.get(address).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy
    for name, value in WANTED.items():
        assert headers[name] == value, name


def test_pages_hold_nothing_that_the_policy_forbids(client):
    pages = [client.get(address).text for address in ("/", "/tickets/GT-0112", "/jobs", "/api")]
    for page in pages:
        tags = re.findall(r"<[a-z][^>]*>", page)
        assert not [tag for tag in tags if re.search(r'\s(style|on[a-z]+)="', tag)]
        assert not re.search(r"<style|(src|href)=\"(https?:)?//", page)


def test_the_session_cookie_is_kept_from_scripts_and_other_sites(client):
    cookie = client.get("/").headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie


@pytest.mark.parametrize("address", ["/", "/similar", "/queries/0123/judgments"])
@pytest.mark.parametrize("token", [{}, {"csrf_token": "forged"}])
def test_a_form_without_its_token_is_refused(client, address, token):
    client.get("/")
    answer = client.post(address, data={"subject": "a", "name": "b", **token})
    assert answer.status_code == 400
    assert "This form is no longer valid; go back, reload the page" in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_name_that_an_attacker_lets_resolve_to_our_address_deletes_nothing(tmp_path, host):
    """A page at that name is of the same origin as ours, for its visitor's browser."""
    desk = FakeDesk(Settings(home=tmp_path, host=host))
    names = {"Host": "evil.example:8000", "Origin": "http://evil.example:8000"}
    answer = create_app(desk).test_client().delete("/api/tickets/GT-0101", headers=names)
    assert answer.status_code == 400 and "TICKETING_ALLOWED_HOSTS" in answer.json["error"]
    assert "GT-0101" in desk.store.get_tickets(["GT-0101"])


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000"])
def test_loopback_names_are_accepted(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 200


NAMES = {
    "any number, where no name is set": ("0.0.0.0", "", "192.0.2.7:8000", 200),
    "a number in version 6": ("::", "", "[2001:db8::7]:8000", 200),
    "no name, where none is set": ("0.0.0.0", "", "desk.example", 400),
    "the name that it listens on": ("Desk.example", "", "desk.example:8000", 200),
    "a name that is set": ("0.0.0.0", "other.example, Desk.example", "desk.example", 200),
    "in any case": ("0.0.0.0", "desk.example", "DESK.example", 200),
    "no other name": ("0.0.0.0", "desk.example", "evil.example", 400),
    "no name that merely ends like it": ("0.0.0.0", "desk.example", "evil.desk.example", 400),
    "no number beside a name": ("0.0.0.0", "desk.example", "192.0.2.7", 400),
    "this machine, for its health check": ("0.0.0.0", "desk.example", "127.0.0.1:8000", 200),
    "a name that a proxy on this machine passes on": ("::1", "desk.example", "desk.example", 200),
    "no number on a loopback address": ("127.0.0.1", "", "192.0.2.7:8000", 400),
    "no nonsense": ("0.0.0.0", "", "[", 400),
}


@pytest.mark.parametrize(("host", "allowed", "asked", "status"), NAMES.values(), ids=NAMES)
def test_the_page_is_served_under_its_own_names_alone(tmp_path, host, allowed, asked, status):
    settings = Settings(home=tmp_path, host=host, allowed_hosts=allowed)
    client = create_app(FakeDesk(settings)).test_client()
    assert client.get("/healthz", headers={"Host": asked}).status_code == status


def test_a_page_that_came_by_https_asks_for_it_from_now_on(client):
    name = "Strict-Transport-Security"
    assert name not in client.get("/").headers
    assert client.get("/", base_url="https://localhost").headers[name] == "max-age=31536000"


@pytest.mark.parametrize(
    "given",
    [
        {"allowed_hosts": "https://desk.example"},
        {"allowed_hosts": "desk.example:8000"},
        {"allowed_hosts": "desk.example other"},
        {"trusted_proxy": "10.0.0.0/8"},
        {"trusted_proxy": "proxy"},
    ],
    ids=str,
)
def test_what_would_be_ignored_in_silence_is_refused(given):
    [(name, value)] = given.items()
    with pytest.raises(InputError, match=f"TICKETING_{name.upper()}='{value}' cannot be used: wri"):
        load_settings(**given)


OTHERS = {
    "loopback": ({}, False),
    "a loopback name that is allowed": ({"allowed_hosts": "localhost"}, False),
    "all addresses": ({"host": "0.0.0.0"}, True),
    "a proxy before it": ({"trusted_proxy": "127.0.0.1"}, True),
    "another name": ({"allowed_hosts": "desk.example"}, True),
}


@pytest.mark.parametrize(("given", "expected"), OTHERS.values(), ids=OTHERS)
def test_what_others_can_reach(given, expected):
    assert serves_others(Settings(**given)) is expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("desk", False)],
)
def test_what_counts_as_loopback(host, expected):
    assert is_loopback(host) is expected
