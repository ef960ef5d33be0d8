"""What a form sent is kept where it could not be done: for pages of ours, and after a press."""

import re
from html import unescape
from io import BytesIO

import pytest

from tests.forms import token_on
from tests.people import signed_in
from ticketing.errors import StoreAway
from ticketing.people import Role
from web.app import create_app
from web.forms import FORM_BYTES

OURS = {"Sec-Fetch-Site": "same-origin"}
TYPED = {"subject": 'The "big" pump', "description": "leaks\n&drips"}
SIGNED_OUT = "You were signed out; sign in and try again."
OLD = "This form had become old, so nothing was done; try again."


def kept(page: str) -> dict[str, str]:
    """The hidden fields of the form that is kept."""
    form = re.search(r'<div class="error">.*?</div>', page, re.DOTALL)[0]
    found = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
    return {name: unescape(value) for name, value in found}


@pytest.fixture
def ann(desk):
    """An engineer's browser."""
    return signed_in(desk, "ann", Role.ENGINEER)


@pytest.mark.parametrize("headers", [OURS, {"Origin": "http://localhost"}], ids=str)
def test_after_a_session_ended_what_was_typed_is_kept_beside_a_way_to_sign_in(desk, ann, headers):
    desk.store.end_sessions("ann")
    answer = ann.post("/", data={**TYPED, "csrf_token": "old"}, headers=headers)
    assert answer.status_code == 401 and SIGNED_OUT in answer.text
    assert re.search(r'href="/sign-in" target="_blank">Sign in in another tab<', answer.text)
    shown = re.findall(r'<p class="text sent" dir="auto" tabindex="0">([^<]*)</p>', answer.text)
    assert [unescape(text) for text in shown] == [*TYPED.values()]
    token = kept(answer.text).pop("csrf_token")
    assert kept(answer.text) == {**TYPED, "csrf_token": token} and token != "old"


@pytest.mark.parametrize(("known", "given_back"), [(False, TYPED), (True, {})])
def test_where_nobody_can_be_asked_for_a_form_is_kept_on_this_machine_s_own_desk(
    desk, monkeypatch, known, given_back
):
    """A desk that is known to have accounts asks nobody but for a session."""
    if known:
        signed_in(desk, "ann", Role.ENGINEER)
        assert desk.has_accounts()

    def away(*_):
        raise StoreAway("The store is away; try again.")

    for name in ("has_accounts", "get_session"):
        monkeypatch.setattr(desk.store, name, away)
    app = create_app(desk)
    app.config.update(WTF_CSRF_ENABLED=False)
    answer = app.test_client().post("/", data=TYPED, headers=OURS)
    assert answer.status_code == (401 if known else 503)
    assert {name: text for name, text in kept(answer.text).items() if name in TYPED} == given_back


def test_after_signing_in_again_it_is_sent_by_a_press(desk, ann):
    answer = ann.post("/", data={**TYPED, "csrf_token": "of the session before"}, headers=OURS)
    assert answer.status_code == 400 and OLD in answer.text
    answer = ann.post("/", data=kept(answer.text), headers=OURS)
    assert answer.status_code == 303 and "/queries/" in answer.location


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://localhost"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
    ids=str,
)
def test_nothing_that_another_site_sent_is_kept(desk, ann, headers):
    pages = [ann.post("/", data=TYPED, headers=headers).text]
    desk.store.end_sessions("ann")
    pages.append(ann.post("/", data=TYPED, headers=headers).text)
    for page in pages:
        assert "Try again" not in page and "pump" not in page
    assert SIGNED_OUT in pages[1]


def test_no_password_is_kept_but_asked_for_again(desk):
    admin = signed_in(desk, "ada")
    sent = {"name": "eve", "password": "very secret", "role": "engineer", "csrf_token": "old"}
    page = admin.post("/people", data=sent, headers=OURS).text
    assert "very secret" not in page and '<label for="password">Password</label>' in page
    assert kept(page)["name"] == "eve" and "password" not in kept(page)
    assert "What you sent is kept on this page, but no password." in page


def test_no_file_is_kept_and_nothing_huge(desk, ann):
    desk.store.end_sessions("ann")
    file = {"file": (BytesIO(b"id,subject\n1,x"), "a.csv"), "mapping": "subject=title"}
    huge = {"subject": "x" * FORM_BYTES}
    for address, data in (("/jobs/import", file), ("/", huge)):
        answer = ann.post(address, data=data, headers=OURS)
        assert answer.status_code == 401 and SIGNED_OUT in answer.text
        assert "Try again" not in answer.text and "kept" not in answer.text


def test_a_page_of_ours_that_asks_the_api_hears_the_same_and_a_program_of_tokens(desk, ann):
    desk.store.end_sessions("ann")
    said = [ann.get("/api/jobs", headers=headers).json["error"] for headers in (OURS, {})]
    assert said == [SIGNED_OUT, "Sign in first, or send a token that is valid."]


def test_a_box_checked_more_than_once_is_kept_whole(desk):
    client = create_app(desk).test_client()
    data = {"label": "x", "scopes": ["ask", "judge"], "days": "3"}
    page = client.post("/account/tokens", data=data, headers=OURS).text
    assert page.count('type="hidden" name="scopes"') == 2


def test_before_a_form_is_sent_its_page_hears_whether_somebody_is_signed_in(desk, ann):
    asked = {"Sec-Fetch-Dest": "empty", "Sec-Fetch-Site": "same-origin"}
    token = ann.get("/account/form-token", headers=asked).json["csrf_token"]
    answer = ann.post("/", data={**TYPED, "csrf_token": token}, headers=OURS)
    assert answer.status_code == 303
    desk.store.end_sessions("ann")
    answer = ann.get("/account/form-token", headers=asked)
    assert answer.status_code == 401 and "csrf_token" not in answer.text


def corrected(page: str) -> dict[str, str]:
    """The fields of the form that is kept which can be written in."""
    form = re.search(r'<div class="error">.*?</div>', page, re.DOTALL)[0]
    found = re.findall(r'<input id="(\w+)" name="\1" value="([^"]*)"', form)
    found += re.findall(r'<textarea id="(\w+)" name="\1"[^>]*>\n([^<]*)<', form)
    return {name: unescape(value) for name, value in found}


def sent(client, address: str, page: str, **fields):
    """A form of a page, as a browser sends it."""
    token = token_on(client, page)
    return client.post(address, data={"csrf_token": token, **fields}, headers=OURS)


def test_a_refused_question_can_be_corrected(ann):
    answer = sent(ann, "/", "/", **TYPED, created_since="soon", product="SGT-400")
    assert answer.status_code == 400 and "Created since: 'soon' is no date" in unescape(answer.text)
    assert corrected(answer.text) == {**TYPED, "created_since": "soon"}
    fields = {**kept(answer.text), **corrected(answer.text), "created_since": "2013-05-31"}
    assert fields["product"] == "SGT-400"
    assert ann.post("/", data=fields, headers=OURS).status_code == 303


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [({"password": "password"}, "password is too weak"), ({"name": " "}, "name")],
)
def test_who_is_refused_stands_in_the_form_but_for_the_password(desk, changed, sentence):
    admin = signed_in(desk, "ada")
    weak = {"name": "eve", "password": "very secret", "role": "scientist", "groups": "lab, hr"}
    answer = sent(admin, "/people", "/people", **weak | changed)
    assert answer.status_code == 400 and "<h1>People</h1>" in answer.text
    form = answer.text[answer.text.index('id="add"') :]
    assert sentence in re.search(r'class="problem" role="alert">([^<]+)<', form)[1]
    name = {**weak, **changed}["name"]
    assert f'name="name" value="{name}"' in form and 'name="groups" value="lab, hr"' in form
    assert "<option selected>scientist<" in form and 'name="next" value="/people"' in answer.text
    assert not re.search(r'value="(very secret|password)"', answer.text)
    assert desk.store.get_account("eve") is None


def test_a_change_of_somebody_that_is_refused_stands_in_its_form(desk):
    admin = signed_in(desk, "ada")
    change = {"role": "engineer", "groups": "x", "seen": "admin, groups none"}
    answer = sent(admin, "/people/change", "/people", name="ada", **change)
    assert answer.status_code == 400 and "<h1>People</h1>" in answer.text
    form = re.search(r'<form [^>]* aria-label="ada".*?</form>', answer.text, re.DOTALL)[0]
    assert "ada is the last admin" in answer.text and "Try again" not in answer.text
    assert "<option selected>engineer<" in form and 'name="groups" value="x"' in form
    assert '<input type="hidden" name="name" value="ada">' in form


def test_nobody_else_is_in_the_form_that_changes_somebody(desk):
    admin = signed_in(desk, "ada")
    signed_in(desk, "bob")
    page = admin.get("/people/change?name=bob").text
    assert re.findall(r'name="name" value="(\w*)"', page) == ["bob"]
    assert admin.get("/people/change?name=eve").status_code == 404


@pytest.mark.parametrize(
    ("address", "given", "sentence"),
    [
        ("/judging", {"by": "random", "size": ""}, "How many queries: give a whole number."),
        ("/schedule", {"at": "noon"}, "At (UTC): write a time of the day, such as 03:00."),
        ("/jobs/training", {"before": "soon"}, "Learn only from tickets created before: 'soon'"),
    ],
)
def test_a_field_is_called_what_the_page_calls_it_and_can_be_corrected(
    desk, address, given, sentence
):
    answer = sent(signed_in(desk, "ada"), address, "/", **given)
    assert answer.status_code == 400
    assert sentence in unescape(answer.text), re.search("<h1>.*</h1>", answer.text)
    [(name, value)] = corrected(answer.text).items()
    assert value == given[name]


BACK = {
    "http://localhost/judging/round?queries=1,2": "/judging/round?queries%3D1,2",
    "http://evil.example/people": "/",
    "http://localhost//evil.example": "/",
    "http://[": "/",
    "": "/",
}


@pytest.mark.parametrize(("referrer", "next_"), BACK.items())
def test_whoever_signs_in_again_comes_back_to_the_form(client, desk, referrer, next_):
    signed_in(desk, "ann")
    answer = client.post("/judging", data={}, headers={"Referer": referrer})
    assert answer.status_code == 401
    [link] = re.findall(r'href="(/sign-in[^"]*)">Sign in<', answer.text)
    assert link == f"/sign-in?next={next_}"


def test_a_note_that_is_too_long_can_be_shortened(ann):
    judged = {"query_id": "x", "ticket_id": "GT-0101", "grade": "YES", "note": "n" * 2001}
    page = sent(ann, "/judging/round?queries=x&bundles=b", "/", **judged).text
    assert corrected(page) == {"note": judged["note"]} and kept(page)["grade"] == "YES"


def test_where_nothing_was_typed_a_refusal_keeps_nothing(ann):
    assert "Try again" not in sent(ann, "/queries/x/judgments", "/", rank="no number").text
