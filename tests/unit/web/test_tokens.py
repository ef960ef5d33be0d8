"""Tokens: shown once, kept as a hash, scoped, expiring, and the API without cookies."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from tests.forms import token_on
from tests.people import GOOD, signed_in
from ticketing.desk import tokens
from ticketing.errors import Conflict, InputError, StoreFull
from ticketing.history import AuditEntry, Deed
from ticketing.people import OPENS, Actor, Permission, Role
from ticketing.tickets import Query
from ticketing.times import utc_now
from web.app import create_app
from web.guard import NEEDED
from web.views.marks import with_code

BY = Actor("ann", "a test")


@pytest.fixture
def browser(desk):
    return signed_in(desk, "ann", Role.SCIENTIST)


def make(browser, follow_redirects=False, **changes):
    """What the form that makes a token is answered with."""
    page = browser.get("/account").text
    fields = {
        **dict(re.findall(r'name="(csrf_token|event_id)" value="([^"]+)"', page)),
        "label": "nightly export",
        "scopes": ["ask", "judge"],
        "days": "30",
    }
    return browser.post("/account/tokens", data=fields | changes, follow_redirects=follow_redirects)


def secret_of(page: str) -> str:
    return re.search(r'class="secret">(tick_\w+_[\w-]{43})<', page)[1]


def api(desk, secret):
    """A program: its requests carry the token and no cookie."""
    client = create_app(desk).test_client(use_cookies=False)
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    return client


def test_a_token_is_shown_once_and_kept_as_a_hash(browser, desk):
    answer = make(browser)
    secret = secret_of(answer.text)
    assert answer.headers["Cache-Control"] == "no-store"
    page = browser.get("/account").text
    assert "nightly export" in page and secret[-43:] not in page
    for file in desk.settings.home.glob("tickets.sqlite3*"):
        assert secret[-43:].encode() not in file.read_bytes()


def test_the_page_says_what_each_scope_opens_as_the_documents_do(desk):
    page = signed_in(desk, "ada").get("/account").text
    documents = (Path(__file__).resolve().parents[3] / "docs" / "how-to" / "people.md").read_text()
    assert set(OPENS) == set(Permission)
    for scope, opens in OPENS.items():
        assert f"| `{scope}` | {opens} |\n" in documents
        assert f'id="opens-{scope}">{with_code(opens)}<' in page


def test_the_scope_export_names_every_table_that_it_opens(desk):
    """It opened the tickets of a topic as well, which was said nowhere."""
    rules = create_app(desk).url_map.iter_rules()
    tables = [rule.rule for rule in rules if NEEDED.get(rule.endpoint) == Permission.EXPORT]
    named = {table.replace("<int:number>", "NUMBER") for table in tables}
    assert named == set(re.findall("`(.+?)`", OPENS[Permission.EXPORT]))
    assert "/topics/NUMBER.csv" in named


def test_a_form_makes_its_token_once(browser, desk):
    """The page that shows it was loaded again, and there were two of one name."""
    sent = {"event_id": "e" * 32}
    secret = secret_of(make(browser, **sent).text)
    again = make(browser, **sent, follow_redirects=True)
    assert again.request.path == "/account" and 'class="secret"' not in again.text
    assert "This token was made already" in again.text
    [token] = desk.store.tokens("ann")
    assert api(desk, secret).get("/api/jobs").status_code == 200
    desk.revoke_token(BY, "ann", token.id)
    assert 'class="secret"' not in make(browser, **sent, follow_redirects=True).text
    assert desk.store.tokens("ann") == []
    deeds = [entry.deed for entry in desk.store.events(AuditEntry)]
    assert deeds.count(Deed.TOKEN_MADE) == 1


def test_a_token_that_could_not_be_kept_is_made_when_the_form_is_sent_again(
    browser, desk, monkeypatch
):
    def full(token):
        raise StoreFull("No room is left.")

    sent = {"event_id": "e" * 32}
    with monkeypatch.context() as patch:
        patch.setattr(desk.store, "add_token", full)
        assert 'class="secret"' not in make(browser, **sent).text
    secret = secret_of(make(browser, **sent).text)
    assert api(desk, secret).get("/api/jobs").status_code == 200
    assert len(desk.store.tokens("ann")) == 1


def test_another_form_makes_another_token_of_the_same_name(browser, desk):
    assert secret_of(make(browser).text) != secret_of(make(browser).text)
    assert [token.label for token in desk.store.tokens("ann")] == ["nightly export"] * 2


def test_a_form_that_was_refused_makes_its_token_when_corrected(browser, desk):
    sent = {"event_id": "e" * 32}
    assert make(browser, **sent, days="0").status_code == 400
    assert secret_of(make(browser, **sent).text)


def test_a_name_of_half_a_character_makes_no_token(browser, desk):
    with pytest.raises(InputError, match="half a character"):
        desk.make_token(BY, "ann", "\ud800", [Permission.ASK], 1)
    assert Deed.TOKEN_MADE not in {entry.deed for entry in desk.store.events(AuditEntry)}


def test_a_program_works_in_the_name_of_the_tokens_owner_without_cookies(browser, desk):
    program = api(desk, secret_of(make(browser).text))
    asked = {"subject": "Exhaust spread high"}
    query = program.post("/api/recommend", json=asked).json["query"]["id"]
    judged = {"query_id": query, "ticket_id": "GT-0101", "grade": "YES"}
    answer = program.post("/api/judgments", json=judged)
    assert answer.status_code == 200 and "Set-Cookie" not in answer.headers
    assert [event.judge for event in desk.store.judgments()] == ["ann"]


@pytest.mark.parametrize("made", [False, True], ids=["was never made", "was revoked"])
def test_a_token_that_is_none_is_refused_whoever_is_signed_in(browser, desk, made):
    secret = secret_of(make(browser).text) if made else "tick_none_x"
    for token in desk.store.tokens("ann"):
        desk.revoke_token(BY, "ann", token.id)
    assert browser.get("/api/jobs").status_code == 200
    answer = browser.get("/api/jobs", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 401


def test_a_token_ends_in_time(browser, desk, monkeypatch):
    program = api(desk, secret_of(make(browser).text))
    assert program.get("/api/jobs").status_code == 200
    monkeypatch.setattr(tokens, "utc_now", lambda: utc_now() + timedelta(days=31))
    assert program.get("/api/jobs").status_code == 401


def test_a_revoked_token_ends_at_once_and_nobody_revokes_anothers(browser, desk):
    program = api(desk, secret_of(make(browser).text))
    [token] = desk.store.tokens("ann")
    other = signed_in(desk, "bob")
    for client, status in ((other, 404), (browser, 303)):
        form = {"csrf_token": token_on(client, "/account")}
        assert program.get("/api/jobs").status_code == 200
        assert client.post(f"/account/tokens/{token.id}/revoke", data=form).status_code == status
    assert program.get("/api/jobs").status_code == 401


def test_the_token_of_somebody_disabled_is_refused(browser, desk):
    program = api(desk, secret_of(make(browser).text))
    desk.change_account(BY, "ann", disabled=True)
    assert program.get("/api/jobs").status_code == 401
    desk.change_account(BY, "ann", disabled=False)
    assert program.get("/api/jobs").status_code == 401 and desk.store.tokens("ann") == []
    revoked = [e.which for e in desk.store.events(AuditEntry) if e.deed == Deed.TOKEN_REVOKED]
    assert len(revoked) == 1 and revoked[0].endswith(" of ann")


@pytest.fixture
def known(desk):
    """A browser of somebody who has a password."""
    desk.add_account(BY, "ann", GOOD, Role.ADMIN)
    return signed_in(desk, "ann")


def test_a_token_asks_for_the_password_of_whoever_has_one(known, desk):
    """A browser that was left open left a way in behind for a year."""
    assert 'id="own-password" name="password" type="password"' in known.get("/account").text
    for given in ({}, {"password": "wrong"}):
        answer = make(known, **given)
        assert answer.status_code == 400
        assert "That is not your password; no token was made." in answer.text
    assert desk.store.tokens("ann") == []
    assert secret_of(make(known, password=GOOD).text)


def test_of_who_has_no_password_none_is_asked(browser):
    assert "own-password" not in browser.get("/account").text
    assert secret_of(make(browser).text)


def test_the_password_of_a_token_is_no_way_to_guess(known):
    for _ in range(5):
        assert make(known, password="guess").status_code == 400
    assert make(known, password=GOOD).status_code == 429


def change_password(client, **changes):
    """What the page says after the form that changes the password."""
    fields = {"csrf_token": token_on(client, "/account"), "password": GOOD}
    fields |= {"new_password": "some other four words", **changes}
    return client.post("/account/password", data=fields, follow_redirects=True).text


def test_another_password_ends_the_tokens_unless_they_are_to_be_kept(known, desk):
    """What a thief of the password had made went on for a year."""
    assert "Keep my tokens" not in known.get("/account").text
    program = api(desk, secret_of(make(known, password=GOOD).text))
    assert "Keep my tokens" in known.get("/account").text
    said = change_password(known, keep_tokens="yes")
    assert "every other browser was signed out." in said
    assert program.get("/api/jobs").status_code == 200
    changed = {"password": "some other four words", "new_password": GOOD}
    assert "every other browser was signed out, and 1 token ended." in change_password(
        known, **changed
    )
    assert program.get("/api/jobs").status_code == 401 and desk.store.tokens("ann") == []


CHANGES = {
    "password": lambda desk: desk.set_password(BY, "ann", "some other four words"),
    "disabled": lambda desk: desk.change_account(BY, "ann", disabled=True),
    "role": lambda desk: desk.change_account(BY, "ann", role=Role.ENGINEER),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_token_that_is_made_while_its_owner_changes_is_none(known, desk, monkeypatch, change):
    """It was let in by the password of before, or was there still when its owner, who was disabled
    meanwhile, was let in again."""
    signed_in(desk, "ada")  # so that ann is not the last admin
    utc = tokens.utc_now

    def meanwhile():
        monkeypatch.setattr(tokens, "utc_now", utc)
        change(desk)
        return utc()

    monkeypatch.setattr(tokens, "utc_now", meanwhile)
    with pytest.raises(Conflict, match="ann was changed just now; try again"):
        desk.make_token(BY, "ann", "x", [Permission.ASK], 1)
    assert desk.store.tokens("ann") == []


WRONG = {
    "no label": ({"label": " "}, "a name of 1 to 80"),
    "no scope": ({"scopes": []}, "needs a scope"),
    "more than the role may": ({"scopes": ["delete"]}, "The role scientist does not allow delete"),
    "no such scope": ({"scopes": ["everything"]}, "scopes, number 1: give"),
    "no day": ({"days": "0"}, "1 to 366 days"),
    "for ever": ({"days": "367"}, "1 to 366 days"),
    "no number": ({"days": "x"}, "Days until it ends: give a whole number."),
}


@pytest.mark.parametrize(("changes", "sentence"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_a_token_is_refused(browser, desk, changes, sentence):
    answer = make(browser, **changes)
    assert answer.status_code == 400 and sentence in answer.text
    assert desk.store.tokens() == []


# judging for others -----------------------------------------------------------------------


@pytest.fixture
def judged(desk):
    signed_in(desk, "ann", Role.SCIENTIST)
    signed_in(desk, "eve", Role.ENGINEER)
    query = desk.recommend(Query("Exhaust spread high")).query.id
    return {"query_id": query, "ticket_id": "GT-0101", "grade": "YES"}


def test_a_scientist_judges_for_somebody_else_and_an_engineer_does_not(desk, judged):
    for_eve = judged | {"judge": "eve"}
    answer = signed_in(desk, "ann").post("/api/judgments", json=for_eve)
    assert answer.status_code == 200 and answer.json["grade"] == "YES"
    for_ann = judged | {"judge": "ann", "grade": "NO"}
    refused = signed_in(desk, "eve").post("/api/judgments", json=for_ann)
    assert refused.status_code == 403 and "judge-for-others" in refused.json["error"]
    assert [(e.judge, e.grade.name) for e in desk.store.judgments()] == [("eve", "YES")]


@pytest.mark.parametrize("name", ["demonstration", "import", "nobody", "Ann"])
def test_nobody_judges_under_a_name_that_is_no_persons(desk, judged, name):
    """A typed name undid a label of the demonstration's."""
    answer = signed_in(desk, "ann").post("/api/judgments", json=judged | {"judge": name})
    assert answer.status_code == 404 and f"Nobody is called {name}" in answer.json["error"]
    assert list(desk.store.judgments()) == []


def test_a_name_in_a_cookie_or_a_form_judges_for_nobody(desk, judged):
    """Thirty names voted from one browser."""
    eve = signed_in(desk, "eve")
    with eve.session_transaction() as session:
        session["judge"] = "ann"
    for name in ("ann", "bob"):
        form = {"ticket_id": "GT-0101", "grade": "YES", "judge": name, "name": name}
        form["csrf_token"] = token_on(eve, "/account")
        eve.post(f"/queries/{judged['query_id']}/judgments", data=form)
    assert {event.judge for event in desk.store.judgments()} == {"eve"}
