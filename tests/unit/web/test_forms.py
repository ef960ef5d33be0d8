"""What a form may be: how long, and of how many fields, of strangers and of everybody."""

import re
from io import BytesIO

import pytest

from tests.forms import token_on
from tests.people import signed_in
from ticketing.people import Role
from web.app import create_app
from web.forms import FORM_BYTES, FORM_FIELDS, STRANGERS_BYTES

URLENCODED = "application/x-www-form-urlencoded"
OURS = {"Origin": "http://localhost", "Content-Type": URLENCODED}
"""What anybody can write into a request."""

SMALL = 20_000
"""Bytes of a page that says what is wrong, and no more."""


@pytest.fixture
def stranger(desk):
    """A browser without cookies, of a desk where everybody signs in."""
    signed_in(desk, "ada")
    return create_app(desk).test_client(use_cookies=False)


@pytest.mark.parametrize("body", [b"a&" * 2**17, b"a=" + b"x" * 2**18], ids=["fields", "bytes"])
@pytest.mark.parametrize("address", ["/sign-in", "/nowhere"])
def test_where_nobody_signs_in_little_is_taken(stranger, address, body):
    """450 kB became ten megabytes of fields that were kept."""
    answer = stranger.post(address, data=body, headers=OURS)
    assert answer.status_code == 413 and len(answer.data) < SMALL
    assert "That is too much text; at most 64 KB in at most 50 fields" in answer.text


@pytest.mark.parametrize("fields", [FORM_FIELDS + 1, STRANGERS_BYTES // 2])
def test_a_form_of_many_fields_is_refused_where_nobody_signs_in(stranger, fields):
    answer = stranger.post("/sign-in", data=b"&".join([b"a"] * fields), headers=OURS)
    assert answer.status_code == 413 and len(answer.data) < SMALL


BODIES = {"fields": b"a&" * 2**20, "bytes": b"subject=" + b"x" * 2**21, "short": b"subject=x"}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("cookie", ["", "session=x", "session=eyJpZCI6IngifQ.aaaaaa.bbbbbbbbbbbb"])
def test_nothing_is_kept_for_who_never_signed_in(stranger, body, cookie):
    """Three megabytes of fields came back as 64."""
    answer = stranger.post("/judging", data=body, headers=OURS | {"Cookie": cookie})
    assert answer.status_code == 401 and len(answer.data) < SMALL
    assert "Try again" not in answer.text and "xx" not in answer.text


def test_a_stranger_with_a_cookie_of_the_sign_in_page_gets_nothing_back(stranger):
    client = stranger.application.test_client()
    assert "csrf_token" in client.get("/sign-in").text and client.get_cookie("session")
    answer = client.post("/judging", data=b"subject=" + b"x" * 2**20, headers=OURS)
    assert answer.status_code == 401 and len(answer.data) < SMALL


@pytest.mark.parametrize("address", ["/", "/judging", "/account/tokens", "/jobs/import"])
@pytest.mark.parametrize("signed_out", [False, True])
def test_of_somebody_signed_in_no_form_of_many_fields_is_read(desk, address, signed_out):
    ann = signed_in(desk, "ann")
    if signed_out:
        desk.store.end_sessions("ann")
    answer = ann.post(address, data=b"subject=x" + b"&a" * FORM_FIELDS, headers=OURS)
    assert answer.status_code == (401 if signed_out else 413)
    assert len(answer.data) < SMALL and "Try again" not in answer.text


def test_a_form_of_many_parts_is_refused(desk):
    ann = signed_in(desk, "ann")
    parts = {f"a{number}": "x" for number in range(FORM_FIELDS)}
    sent = {**parts, "file": (BytesIO(b"id,subject\n1,x"), "a.csv")}
    answer = ann.post("/jobs/import", data=sent, headers={"Origin": "http://localhost"})
    assert answer.status_code == 413 and "in at most 50 fields" in answer.text


def test_a_form_longer_than_a_question_is_refused(desk):
    ann = signed_in(desk, "ann", Role.ENGINEER)
    body = b"subject=" + b"x" * FORM_BYTES
    for address in ("/", "/jobs/import", "/similar"):
        answer = ann.post(address, data=body, headers=OURS)
        assert answer.status_code == (403 if address == "/jobs/import" else 413), address
    assert "at most 3 MB in at most 50 fields can be sent at once" in answer.text


def test_the_longest_question_in_any_script_is_taken(desk):
    ann = signed_in(desk, "ann", Role.ENGINEER)
    token = token_on(ann)
    asked = {"subject": "𐌰" * 10_000, "description": "𐌰 " * 100_000, "csrf_token": token}
    assert ann.post("/", data=asked).status_code == 303


def test_no_form_of_ours_has_half_as_many_fields_as_are_taken(desk):
    ada = signed_in(desk, "ada")
    found = []
    for address in ("/", "/account", "/people", "/jobs", "/judging", "/schedule", "/models"):
        forms = re.findall(r"<form.*?</form>", ada.get(address).text, re.DOTALL)
        found += [len(re.findall(r' name="', form)) for form in forms]
    assert len(found) > 10 and 10 < max(found) <= FORM_FIELDS / 2
