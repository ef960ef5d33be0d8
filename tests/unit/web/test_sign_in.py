"""Signing in and out: sessions, their limits, wrong passwords, and the desk without accounts."""

import re
import time
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta

import pytest

from tests.fake_desk import FakeDesk
from tests.forms import token_on
from tests.people import GOOD, signed_in
from ticketing.desk import leases, people
from ticketing.errors import InputError, StoreFull
from ticketing.history import AuditEntry, Deed
from ticketing.people import MOST_TYPED, Actor, Role, one_form, usable_name
from ticketing.settings import Settings
from ticketing.times import utc_now
from web import throttle
from web.app import create_app
from web.server import HEADER_BYTES
from web.sessions import KEY

BY = Actor("ada", "a test")


@pytest.fixture
def ann(desk):
    """An admin with a password."""
    return desk.add_account(BY, "ann", GOOD, Role.ADMIN)


def sign_in(client, name="ann", password=GOOD, **fields):
    token = token_on(client, "/sign-in")
    given = {"csrf_token": token, "name": name, "password": password, **fields}
    return client.post("/sign-in", data=given)


def session_of(client) -> dict[str, str]:
    with client.session_transaction() as session:
        return dict(session)


def post(client, address, **fields):
    token = token_on(client)
    return client.post(address, data={"csrf_token": token, **fields})


# a desk without accounts ------------------------------------------------------------------


def test_without_accounts_everybody_on_this_machine_is_a_local_admin_and_the_page_says_so(client):
    page = client.get("/").text
    assert "Nobody signs in here: this page is served to this machine only" in page
    assert "an admin" in page and "Sign out" not in page
    assert client.get("/sign-in").location == "/"
    assert client.get("/people").status_code == 200


def test_from_the_first_account_on_everybody_signs_in_on_this_machine_too(client, desk):
    added = {"name": "ann", "password": GOOD, "role": "admin", "groups": "lab, service"}
    assert post(client, "/people", **added).status_code == 303
    assert desk.known_account("ann").groups == {"lab", "service"}
    assert client.get("/").location == "/sign-in?next=/"
    assert client.get("/api/jobs").status_code == 401
    assert sign_in(client).location == "/"
    page = client.get("/").text
    assert "Signed in as" in page and "Sign out" in page


def test_a_password_is_taken_as_it_is_typed_with_white_space_at_its_ends(client):
    password = f" {GOOD} "
    added = {"name": " ann ", "password": password, "role": "admin"}
    assert post(client, "/people", **added).status_code == 303
    assert sign_in(client, password=GOOD).status_code == 401
    assert sign_in(client, password=password).status_code == 303


def test_the_first_account_is_an_admins(client, desk):
    added = {"name": "ann", "password": GOOD, "role": "engineer"}
    answer = post(client, "/people", **added)
    assert answer.status_code == 400 and "must be an admin" in answer.text
    assert not desk.has_accounts()


OTHERS = [{"host": "0.0.0.0"}, {"trusted_proxy": "127.0.0.1"}, {"allowed_hosts": "desk.example"}]


@pytest.mark.parametrize("given", OTHERS)
def test_where_others_reach_the_page_nobody_is_let_in_without_an_account(tmp_path, given):
    client = create_app(FakeDesk(Settings(home=tmp_path, **given))).test_client()
    assert "/sign-in" in client.get("/").location
    assert client.get("/api/jobs").status_code == 401
    assert "ticketing users add NAME --role admin" in client.get("/sign-in").text


# sessions ---------------------------------------------------------------------------------


def test_signing_in_goes_on_to_where_one_was_going(client, ann):
    going = client.get("/history?page=1").location
    assert going == "/sign-in?next=/history?page%3D1"
    assert 'name="next" value="/history?page=1"' in client.get(going).text
    assert sign_in(client, next="/history?page=1").location == "/history?page=1"


@pytest.mark.parametrize(("letters", "kept"), [(1300, True), (5000, False)])
def test_a_long_link_leads_to_signing_in_by_an_address_that_the_server_takes(
    client, ann, letters, kept
):
    link = "/?description=" + "%C3%BC" * letters
    going = client.get(link).location
    assert len(going) < HEADER_BYTES / 2
    assert (f'name="next" value="{link}"' in client.get(going).text) is kept
    assert ('name="next" value="/"' in client.get(going).text) is not kept


@pytest.mark.parametrize("address", ["//evil.example", "https://evil.example", "/\\evil", "x", ""])
def test_signing_in_never_leads_to_another_site(client, ann, address):
    assert sign_in(client, next=address).location == "/"


def test_signing_in_gives_a_new_session_and_a_new_form_token(client, ann, desk):
    sign_in(client)
    before = session_of(client)
    other = create_app(desk).test_client()
    sign_in(other)
    token_on(client, "/account")
    client.post("/sign-out", data={"csrf_token": token_on(client, "/account")})
    sign_in(client)
    token_on(client, "/account")
    after = session_of(client)
    assert after[KEY] != before[KEY]
    assert after["csrf_token"] != before.get("csrf_token")
    assert desk.person_of_session(before[KEY]) is None
    assert other.get("/account").status_code == 200


def test_an_id_that_somebody_planted_is_not_used(client, ann):
    with client.session_transaction() as session:
        session[KEY] = "planted"
    assert "/sign-in" in client.get("/account").location
    sign_in(client)
    assert session_of(client)[KEY] != "planted"


def test_the_store_keeps_no_session_id(client, ann, desk):
    sign_in(client)
    session_id = session_of(client)[KEY]
    assert len(session_id) >= 43  # 256 bits
    for file in desk.settings.home.glob("tickets.sqlite3*"):
        assert session_id.encode() not in file.read_bytes()


def test_signing_out_ends_the_session_itself(client, ann, desk):
    sign_in(client)
    kept = session_of(client)
    left = client.post("/sign-out", data={"csrf_token": token_on(client, "/account")})
    assert left.headers["Clear-Site-Data"] == '"cache"'  # the shortcuts' switch stays
    with client.session_transaction() as session:  # as somebody who copied the cookie
        session.update(kept)
    assert "/sign-in" in client.get("/account").location


LIMITS = {"idle": (timedelta(minutes=481), None), "old": (timedelta(hours=169), 400)}


@pytest.mark.parametrize(("later", "used_every"), LIMITS.values(), ids=LIMITS)
def test_a_session_ends_when_it_lies_idle_and_in_any_case_in_time(
    desk, monkeypatch, later, used_every
):
    client, now = signed_in(desk, "ann"), utc_now()
    step = timedelta(minutes=used_every or 479)
    while used_every and step < later:
        monkeypatch.setattr(people, "utc_now", lambda at=now + step: at)
        if step < timedelta(hours=168):
            assert client.get("/account").status_code == 200
        step += timedelta(minutes=used_every)
    monkeypatch.setattr(people, "utc_now", lambda: now + later)
    assert "/sign-in" in client.get("/account").location


def test_who_works_stays_signed_in_however_short_the_idle_time_is(tmp_path, monkeypatch):
    desk = FakeDesk(Settings(home=tmp_path, session_idle=1))
    client, now = signed_in(desk, "ann"), utc_now()
    for seconds in range(50, 500, 50):
        monkeypatch.setattr(people, "utc_now", lambda at=now + timedelta(seconds=seconds): at)
        assert client.get("/account").status_code == 200, seconds
    monkeypatch.setattr(people, "utc_now", lambda: now + timedelta(seconds=511))
    assert "/sign-in" in client.get("/account").location


def test_on_a_full_disk_those_who_are_signed_in_go_on_reading(desk, monkeypatch):
    def full(*_):
        raise StoreFull("The disk is full.")

    client, now = signed_in(desk, "ann"), utc_now()
    monkeypatch.setattr(desk.store, "touch_session", full)
    monkeypatch.setattr(people, "utc_now", lambda: now + timedelta(minutes=5))
    assert client.get("/jobs").status_code == 200


def test_a_change_of_the_account_is_felt_at_once(desk):
    client = signed_in(desk, "ann")
    signed_in(desk, "bob")
    assert client.get("/people").status_code == 200
    desk.change_account(BY, "ann", role=Role.ENGINEER)
    assert client.get("/people").status_code == 403
    desk.change_account(BY, "ann", disabled=True)
    assert "/sign-in" in client.get("/account").location


def test_a_groups_name_is_no_longer_than_a_tickets_may_have(desk):
    client = signed_in(desk, "ann")
    added = {"name": "bob", "password": GOOD, "role": "engineer", "groups": f"lab, {'x' * 501}"}
    changed = {"name": "ann", "role": "admin", "groups": "x" * 501, "seen": "admin, groups none"}
    for address, fields in (("/people", added), ("/people/change", changed)):
        answer = post(client, address, **fields)
        assert answer.status_code == 400
        assert "has 501 characters, more than the 500 allowed; shorten it." in answer.text
    [account] = desk.store.accounts()
    assert (account.name, account.groups) == ("ann", frozenset())


def test_two_admins_who_demote_each_other_at_once_leave_one(desk, monkeypatch):
    signed_in(desk, "ann")
    signed_in(desk, "bob")
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.01)
    accounts, late = desk.store.accounts, ThreadPoolExecutor(1)
    begun = []

    def demote(name):
        desk.change_account(BY, name, role=Role.ENGINEER)

    def meanwhile():
        found = accounts()
        if not begun:
            begun.append(late.submit(demote, "ann"))
            wait(begun, timeout=0.3)
        return found

    monkeypatch.setattr(desk.store, "accounts", meanwhile)
    demote("bob")
    with pytest.raises(InputError, match="ann is the last admin"):
        begun[0].result()
    assert [account.name for account in accounts() if account.role == Role.ADMIN] == ["ann"]


def test_a_page_that_shows_somebody_as_they_were_changes_nothing(desk):
    client = signed_in(desk, "ann")
    desk.add_account(BY, "bob", GOOD, Role.ENGINEER, ["lab", "hr"])
    page = client.get("/people/change?name=bob").text
    shown = re.search(r'name="name" value="bob">\s*<input [^>]*name="seen" value="([^"]+)"', page)[
        1
    ]
    given = {"name": "bob", "role": "engineer", "groups": "lab", "seen": shown}
    desk.change_account(BY, "bob", disabled=True)
    answer = post(client, "/people/change", **given)
    assert answer.status_code == 409
    assert "bob was changed since this page was loaded (engineer, groups hr, lab, disabled)" in (
        answer.text
    )
    assert f'name="seen" value="{desk.known_account("bob").summary}"' in answer.text
    bob = desk.known_account("bob")
    assert bob.disabled and bob.groups == {"hr", "lab"}
    assert post(client, "/people/change", **given | {"seen": bob.summary}).status_code == 303
    bob = desk.known_account("bob")
    assert not bob.disabled and bob.groups == {"lab"}


def test_a_name_of_many_marks_takes_no_time(client, ann):
    """To bring eighty thousand into one form took twenty seconds, in which nobody was answered."""
    name = "a" + "\u0301\u0316" * 40_000
    begun = time.thread_time()
    assert one_form(name) == one_form(name[:MOST_TYPED])
    assert time.thread_time() - begun < 1
    assert sign_in(client, name=name[:8_000]).status_code == 401
    assert sign_in(client, name=name).status_code == 413
    with pytest.raises(InputError, match="a name of 1 to 80 characters"):
        usable_name("ann" + " " * MOST_TYPED)


def test_another_password_signs_out_every_other_browser(client, ann, desk):
    other = create_app(desk).test_client()
    sign_in(client)
    sign_in(other)
    fields = {"password": GOOD, "new_password": "some other four words"}
    assert post(client, "/account/password", **fields).status_code == 303
    assert client.get("/account").status_code == 200
    assert "/sign-in" in other.get("/account").location
    assert sign_in(other).status_code == 401
    assert sign_in(other, password="some other four words").status_code == 303


def test_another_password_ends_a_sign_in_that_is_under_way(client, ann, desk):
    account = desk.sign_in("", "ann", GOOD)
    desk.set_password(Actor("ann", ""), "ann", "some other four words")
    assert desk.person_of_session(desk.begin_session("", account)) is None
    account = desk.sign_in("", "ann", "some other four words")
    assert desk.person_of_session(desk.begin_session("", account)).name == "ann"


def test_another_password_needs_the_present_one_and_a_good_one(client, ann):
    sign_in(client)
    wrong = post(client, "/account/password", password="wrong", new_password="other four words so")
    assert (
        wrong.status_code == 400
        and "That is not your present password; nothing was changed." in wrong.text
    )
    weak = post(client, "/account/password", password=GOOD, new_password="password1")
    assert weak.status_code == 400 and "too weak" in weak.text
    fields = {"csrf_token": "of old", "password": GOOD, "new_password": "other four words so"}
    old = client.post("/account/password", data=fields, headers={"Sec-Fetch-Site": "same-origin"})
    assert old.status_code == 400 and "New password" in old.text
    for value in fields.values():
        assert value not in old.text


def test_behind_https_the_cookie_goes_over_https_to_this_host_alone(client, ann):
    def cookie(base_url):
        return client.get("/sign-in", base_url=base_url).headers["Set-Cookie"]

    plain, secure = cookie("http://localhost"), cookie("https://localhost")
    assert plain.startswith("session=") and "Secure" not in plain
    assert secure.startswith("__Host-session=") and "Secure;" in secure and "Path=/" in secure
    assert "Domain" not in secure
    for said in (plain, secure):
        assert "HttpOnly" in said and "SameSite=Lax" in said


def test_only_what_changes_the_session_sends_its_cookie_again(client, ann):
    """A style sheet that is still on its way would bring back the cookie of before, and with it
    lose the message of a form that was sent meanwhile."""
    sign_in(client)
    client.get("/account")
    for address in ("/static/page.css", "/account", "/api/jobs"):
        answer = client.get(address)
        assert answer.status_code == 200 and "Set-Cookie" not in answer.headers, address


def test_what_a_script_fetches_without_a_session_is_refused_and_no_form(client, ann):
    answer = client.get("/jobs", headers={"Sec-Fetch-Dest": "empty"})
    assert answer.status_code == 401
    assert "You were signed out; sign in and try again." in answer.text


# wrong passwords --------------------------------------------------------------------------


def test_a_wrong_password_and_an_unknown_name_are_answered_alike(client, ann):
    wrong, unknown = sign_in(client, password="wrong"), sign_in(client, name="bob")
    assert wrong.status_code == unknown.status_code == 401
    pages = [re.sub(r'value="[^"]*"', "", answer.text) for answer in (wrong, unknown)]
    assert pages[0] == pages[1]
    assert "Name and password do not belong together" in pages[0]


def test_a_disabled_person_is_answered_like_a_stranger(client, ann, desk):
    desk.add_account(BY, "bob", GOOD, Role.ENGINEER)
    desk.change_account(BY, "bob", disabled=True)
    assert sign_in(client, name="bob").status_code == 401


def test_many_wrong_passwords_slow_down_and_lock_nobody_out(client, ann, desk, monkeypatch):
    application = create_app(desk)
    attacker, victim = (application.test_client() for _ in range(2))
    attacker.environ_base["REMOTE_ADDR"] = "192.0.2.66"
    for _ in range(5):
        assert sign_in(attacker, password="guess").status_code == 401
    slowed = sign_in(attacker, password="guess")
    assert slowed.status_code == 429 and 0 < int(slowed.headers["Retry-After"]) <= 60
    assert "Too many passwords were tried" in slowed.text
    assert sign_in(attacker).status_code == 429  # the right one too: guessing must not pay
    assert sign_in(victim).status_code == 303
    attempts = throttle.ATTEMPTS.get_expiry()
    assert attempts == 60  # seconds: nobody waits longer


def test_a_name_is_the_same_however_its_characters_are_composed(client, desk):
    desk.add_account(BY, "Zoë", GOOD, Role.ADMIN)
    assert sign_in(client, name=" Zoe\u0308 ").status_code == 303


def test_a_name_written_in_another_way_gives_no_more_attempts(client, ann):
    for name in ("ann", " ann", "ann ", "ａnn", "\tann"):
        assert sign_in(client, name=name, password="guess").status_code == 401
    assert sign_in(client, name="  ann", password="guess").status_code == 429


def test_the_right_password_forgets_the_wrong_ones(client, ann):
    for password in [*["wrong"] * 4, GOOD, *["wrong"] * 4, GOOD]:
        answer = sign_in(client, password=password)
        if password == GOOD:
            assert answer.status_code == 303
            client.post("/sign-out", data={"csrf_token": token_on(client, "/account")})


def test_a_failed_sign_in_is_audited_without_what_was_typed(client, ann, desk):
    sign_in(client, password="a secret guess")
    sign_in(client, name="hunter2 typed into the name")
    entries = [e for e in desk.store.events(AuditEntry) if e.deed == Deed.SIGN_IN_FAILED]
    assert [(e.person, e.which, e.where) for e in entries] == [
        ("ann", "ann", "127.0.0.1"),
        ("", "unknown name", "127.0.0.1"),
    ]
