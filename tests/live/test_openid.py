"""People sign in at a real OpenID provider: what it says of them counts, and nothing else does."""

import threading
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from playwright.sync_api import sync_playwright

from tests.conftest import missing
from tests.fake_desk import FakeDesk
from tests.openid_provider import CLIENT, SECRET, is_installed, openid_provider, sign_in
from ticketing.people import Account, Role
from ticketing.settings import Settings
from web.app import create_app
from web.cli import listening_socket, require_account
from web.server import Server

pytestmark = pytest.mark.openid

BEGIN = "/sign-in/openid"
BACK = "/sign-in/openid/back"


@pytest.fixture(scope="module")
def listener():
    """A port that the provider knows before the desk serves on it."""
    if not is_installed():
        missing("the OpenID provider (npm ci --prefix tests/openid)")
    with listening_socket("127.0.0.1", 0) as listener:
        yield listener


@pytest.fixture(scope="module")
def address(listener):
    return f"http://localhost:{listener.getsockname()[1]}"


@pytest.fixture(scope="module")
def issuer(address):
    with openid_provider(address + BACK) as issuer:
        yield issuer


@contextmanager
def serving(listener, desk):
    """A server of a desk on a port that stays open afterwards."""
    server = Server(create_app(desk), listener.dup())
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.task_dispatcher.shutdown()
        server.close()
        thread.join(5)


def settings(tmp_path, issuer, **given) -> Settings:
    given = {"openid_roles": "desk-admins=admin,*=engineer", **given}
    return Settings(
        home=tmp_path,
        openid_issuer=issuer,
        openid_client_id=CLIENT,
        openid_client_secret=SECRET,
        **given,
    )


@pytest.fixture
def desk(tmp_path, listener, issuer):
    desk = FakeDesk(settings(tmp_path, issuer))
    with serving(listener, desk):
        yield desk
    desk.close()


def groups_and_role(desk, name):
    account = desk.store.get_account(name)
    return account.role, account.groups


def test_role_and_groups_are_those_that_the_provider_says(desk, address, issuer):
    require_account(desk)  # it may serve others: the provider knows who is who
    with requests.Session() as browser:
        assert browser.get(f"{address}/jobs", timeout=10).url.startswith(f"{address}/sign-in?")
        answer = sign_in(browser, f"{address}{BEGIN}?next=/jobs", "ada")
        assert (answer.status_code, answer.url) == (200, f"{address}/jobs")
        assert "ada" in answer.text
    with requests.Session() as browser:
        assert sign_in(browser, address + BEGIN, "ben").status_code == 200
        assert browser.get(f"{address}/people", timeout=10).status_code == 403
    assert groups_and_role(desk, "ada") == (Role.ADMIN, {"desk-admins", "service"})
    assert groups_and_role(desk, "ben") == (Role.ENGINEER, {"lab", "service"})
    assert desk.store.get_account("ben").identity == f"{issuer} ben"


def test_what_the_provider_says_at_a_later_sign_in_replaces_what_it_said(desk, address, issuer):
    past = Account("ben", "", Role.ADMIN, frozenset({"hr"}), identity=f"{issuer} ben")
    desk.store.put_account(past)
    with requests.Session() as browser:
        assert sign_in(browser, address + BEGIN, "ben").status_code == 200
    assert groups_and_role(desk, "ben") == (Role.ENGINEER, {"lab", "service"})


def test_whoever_is_disabled_here_is_refused(desk, address, issuer):
    out = Account("ben", "", Role.ENGINEER, disabled=True, identity=f"{issuer} ben")
    desk.store.put_account(out)
    with requests.Session() as browser:
        answer = sign_in(browser, address + BEGIN, "ben")
        assert answer.status_code == 403 and "disabled" in answer.text
        assert "/sign-in" in browser.get(f"{address}/jobs", timeout=10).url
    assert desk.store.get_account("ben") == out


@pytest.mark.parametrize("identity", ["", "https://elsewhere.example ben"])
def test_the_account_of_somebody_else_is_not_taken_over(desk, address, identity):
    desk.store.put_account(taken := Account("Ben", "hash", Role.ADMIN, identity=identity))
    with requests.Session() as browser:
        answer = sign_in(browser, address + BEGIN, "ben")
        assert answer.status_code == 400 and "called" in answer.text
        assert "/sign-in" in browser.get(f"{address}/jobs", timeout=10).url
    assert desk.store.accounts() == [taken]


def test_whoever_has_no_role_is_refused(tmp_path, listener, address, issuer):
    desk = FakeDesk(settings(tmp_path, issuer, openid_roles="desk-admins=admin"))
    with serving(listener, desk), requests.Session() as browser:
        answer = sign_in(browser, address + BEGIN, "eve")
        assert answer.status_code == 403 and "role" in answer.text
        assert desk.store.accounts() == []
    desk.close()


def test_the_request_carries_state_nonce_and_a_challenge(desk, address):
    answer = requests.get(address + BEGIN, timeout=10, allow_redirects=False)
    asked = parse_qs(urlsplit(answer.headers["Location"]).query)
    assert asked["response_type"] == ["code"] and asked["code_challenge_method"] == ["S256"]
    assert all(asked[name][0] for name in ("state", "nonce", "code_challenge"))
    assert SECRET not in answer.headers["Location"]


def test_an_answer_that_this_browser_did_not_ask_for_signs_nobody_in(desk, address):
    """An attacker's own code, given to a victim's browser; and an answer sent twice."""
    with requests.Session() as attacker, requests.Session() as victim:
        answer = sign_in(attacker, address + BEGIN, "ben")
        [back] = [hop.url for hop in answer.history if hop.url.startswith(address + BACK)]
        for browser in (victim, attacker):
            again = browser.get(back, timeout=10)
            assert again.status_code == 400 and "try again" in again.text
        assert "/sign-in" in victim.get(f"{address}/jobs", timeout=10).url


def test_a_provider_that_is_away_is_said(tmp_path, listener, address):
    desk = FakeDesk(settings(tmp_path, "http://localhost:1"))
    with serving(listener, desk):
        answer = requests.get(address + BEGIN, timeout=10)
        assert answer.status_code == 503 and "does not answer" in answer.text
        assert requests.get(f"{address}/healthz", timeout=10).status_code == 200
    desk.close()


@pytest.mark.browser
def test_a_real_browser_walks_there_and_back(desk, address, chromium):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.route("**/*", lambda r: r.continue_() if "localhost" in r.request.url else r.abort())
        page.goto(f"{address}/jobs")
        page.get_by_role("link", name="OpenID").click()
        page.get_by_placeholder("Enter any login").fill("ada")
        page.get_by_placeholder("and password").fill("any")
        page.get_by_role("button", name="Sign-in").click()
        page.get_by_role("button", name="Continue").click()
        page.wait_for_url(f"{address}/jobs")
        assert "ada" in page.content()
        browser.close()
