"""Signing in, one's account, people and the audit in a real Chromium, by keys and by axe."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import ask, graded, is_judged, row
from tests.browser.test_accessibility import SCREENS, axe, violations
from tests.browser.test_work import begin
from tests.fake_records import tickets
from tests.people import GOOD
from ticketing.people import Actor, Role
from ticketing.tickets import Query

__all__ = ["axe"]

pytestmark = pytest.mark.browser

BY = Actor("cli:root", "command line")


@pytest.fixture
def ann(desk):
    """An admin, and an engineer beside her."""
    desk.add_account(BY, "ann", GOOD, Role.ADMIN, ["lab"])
    desk.add_account(BY, "bob", GOOD, Role.ENGINEER)


def sign_in(page: Page, name="ann", password=GOOD) -> None:
    """By keys alone."""
    page.wait_for_url("**/sign-in**")
    expect(page.get_by_label("Name")).to_be_focused()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.type(password)
    with page.expect_event("load"):  # of what follows: a click before its script sends a plain form
        page.keyboard.press("Enter")


def sign_in_elsewhere(page: Page) -> None:
    """In another tab, as a page of a session that ended offers."""
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Sign in in another tab").click()
    sign_in(opened.value)
    expect(opened.value.get_by_text("Signed in as ann")).to_be_visible()


@pytest.mark.parametrize("script", [True, False], ids=["with scripts", "without"])
def test_one_signs_in_by_keys_works_and_signs_out(open_page, ann, desk, script):
    page = open_page(java_script_enabled=script)
    page.goto("/history")
    sign_in(page, password="wrong")
    expect(page.get_by_role("alert")).to_have_text(re.compile("do not belong together"))
    expect(page.get_by_label("Name")).to_have_value("ann")
    page.get_by_label("Password").fill(GOOD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/history")
    expect(page.get_by_text("Signed in as ann, admin")).to_be_visible()
    if script:
        page.get_by_role("button", name="Keys").click()
        page.get_by_label("Shortcuts are on").uncheck()
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")
    if script:
        assert page.evaluate("localStorage.shortcuts") == "off"
    page.go_back()
    page.reload()
    page.wait_for_url("**/sign-in**")


@pytest.mark.parametrize("script", [True, False], ids=["with scripts", "without"])
def test_a_link_to_an_open_row_opens_it_after_signing_in(open_page, ann, desk, script):
    """The row's name was lost on the way, so that the first ticket was open instead."""
    query_id = desk.store.put_query(Query("Exhaust spread high", "Unit trips on start"))
    third = desk.recommend(desk.store.get_query(query_id)).items[2].ticket.id
    page = open_page(java_script_enabled=script)
    page.goto(f"/queries/{query_id}?has_solution=yes#t-{third}")
    sign_in(page, password="wrong")
    page.get_by_label("Password").fill(GOOD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/queries/{query_id}?has_solution=yes#t-{third}")
    expect(page.get_by_role("region", name=f"All about {third}")).to_be_visible()


def test_an_engineer_sees_no_way_to_what_is_not_for_them(open_page, ann):
    page = open_page()
    page.goto("/")
    sign_in(page, "bob")
    expect(page.get_by_text("Signed in as")).to_be_visible()
    names = page.locator("nav[aria-label=Pages] a").all_inner_texts()
    assert names == ["Ask", "History", "Judging", "Topics", "Jobs", "API"]
    page.goto("/topics")
    expect(page.get_by_role("link", name="CSV")).to_have_count(0)
    expect(page.get_by_role("link", name="JSON")).to_have_count(1)
    page.goto("/judging")
    expect(page.get_by_role("link", name="How judges agree")).to_have_count(0)
    page.goto("/people")
    expect(page.get_by_role("heading")).to_have_text(re.compile("Your role, engineer, does not"))


SIGNED_OUT = "You were signed out; sign in and try again."


def ask_signed_out(page, desk, script=True):
    """Ask as somebody whose session ends just when the form is sent, or was ended before where no
    script looks."""

    def ends(route) -> None:
        answer = route.fetch()
        desk.store.end_sessions("ann")
        route.fulfill(response=answer)

    page.goto("/")
    sign_in(page)
    page.get_by_label("Subject").fill("Exhaust spread high")
    if script:
        page.route("**/account/form-token", ends, times=1)
    else:
        desk.store.end_sessions("ann")
    page.get_by_role("button", name="Find solutions").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(SIGNED_OUT)


def lose_cookie(page, desk) -> None:
    """As the browser does once the session has reached its end."""
    page.context.clear_cookies()


def end_session(page, desk) -> None:
    """As an admin does, or a new password."""
    desk.store.end_sessions("ann")


def sign_out_elsewhere(page, desk) -> None:
    """In another tab."""
    other = page.context.new_page()
    other.goto("/history")
    other.get_by_role("button", name="Sign out").click()
    other.wait_for_url("**/sign-in")


@pytest.mark.parametrize("end", [lose_cookie, end_session, sign_out_elsewhere])
def test_a_question_stays_where_it_is_written_once_one_is_signed_out(open_page, ann, desk, end):
    page = open_page()
    page.goto("/")
    sign_in(page)
    page.get_by_label("Subject").fill("Exhaust spread high")
    end(page, desk)
    page.get_by_role("button", name="Find solutions").click()
    said = page.locator("form .problem-line")
    expect(said).to_have_text(f"{SIGNED_OUT} Sign in in another tab")
    expect(page.get_by_label("Subject")).to_have_value("Exhaust spread high")
    with page.expect_popup() as opened:
        said.get_by_role("link").click()
    sign_in(opened.value)
    expect(opened.value.get_by_text("Signed in as ann")).to_be_visible()
    page.get_by_role("button", name="Find solutions").click()
    page.wait_for_url("**/queries/*")
    expect(page.locator(".query .subject")).to_have_text("Exhaust spread high")


def test_a_note_stays_in_its_round_once_one_is_signed_out(open_page, ann, desk):
    page = open_page()
    page.goto("/judging")
    sign_in(page)
    expect(page.get_by_text("Signed in as ann")).to_be_visible()
    begin(page, desk)
    page.get_by_label("Note").fill("as at Halverstad")
    lose_cookie(page, desk)
    page.get_by_role("button", name="REL").click()
    expect(page.locator(".give .problem-line")).to_contain_text(SIGNED_OUT)
    expect(page.get_by_label("Note")).to_have_value("as at Halverstad")
    sign_in_elsewhere(page)
    page.get_by_role("button", name="REL").click()
    expect(page.locator("#progress")).to_contain_text("1 of 10 tickets judged")
    (event,) = desk.store.judgments()
    assert (event.judge, event.note) == ("ann", "as at Halverstad")


FIELDS = {
    "/people": ("Groups whose tickets they see, with commas between", "Add", "lab, hr"),
    "/topics/17": ("Its name", "Save", "Burners"),
    "/schedule": ("Also after this many new judgments (0: never)", "Set the schedule", "77"),
    "/account": ("New password", "Change password", f"{GOOD} again"),
}
"""On each page a field of a form, what sends the form, and what is typed there."""


@pytest.mark.parametrize("where", FIELDS)
def test_what_is_typed_stays_where_the_server_is_away(open_page, ann, where):
    page, (label, button, typed) = open_page(), FIELDS[where]
    page.goto(where)
    sign_in(page)
    expect(page.get_by_text("Signed in as ann")).to_be_visible()
    page.wait_for_load_state()  # the script that keeps what is typed runs last
    if where == "/people":
        page.get_by_label("Name", exact=True).fill("eve")
        page.get_by_label("First password").fill(GOOD)
    if where == "/account":
        page.get_by_label("Present password").fill(GOOD)
    page.get_by_label(label).fill(typed)
    page.context.set_offline(True)
    page.get_by_role("button", name=button, exact=True).click()
    kept = "The server does not answer; what you wrote is kept here."
    expect(page.locator("form .problem-line")).to_have_text(kept)
    expect(page.get_by_label(label)).to_have_value(typed)


def test_typing_after_the_session_ended_says_so_and_goes_on_after_signing_in(open_page, ann, desk):
    page = open_page()
    page.goto("/")
    sign_in(page)
    expect(page.get_by_text("Signed in as")).to_be_visible()
    desk.store.end_sessions("ann")
    with page.expect_response("**/preview") as answered:
        page.get_by_label("Subject").fill("exhaust spread")
    assert answered.value.status == 401
    expect(page.get_by_label("Password")).to_have_count(0)
    expect(page.locator("#found")).to_contain_text(SIGNED_OUT)
    sign_in_elsewhere(page)
    page.get_by_label("Subject").fill("exhaust spread high")
    expect(page.locator("#found li").first).to_be_visible()


@pytest.mark.parametrize("script", [True, False], ids=["with scripts", "without"])
def test_a_question_survives_the_end_of_its_session(open_page, ann, desk, script):
    page = open_page(java_script_enabled=script)
    ask_signed_out(page, desk, script)
    sign_in_elsewhere(page)
    for _ in range(1 if script else 2):  # the form token is another one since
        page.get_by_role("button", name="Try again").click()
    page.wait_for_url("**/queries/*")
    expect(page.locator(".query .subject")).to_have_text("Exhaust spread high")


def test_a_question_that_was_kept_stays_where_the_server_is_away(open_page, ann, desk):
    page = open_page()
    ask_signed_out(page, desk)
    page.wait_for_load_state()
    page.context.set_offline(True)
    page.get_by_role("button", name="Try again").click()
    kept = "The server does not answer; what you wrote is kept here."
    expect(page.locator("form .problem-line")).to_have_text(kept)
    expect(page.get_by_role("heading", level=1)).to_have_text(SIGNED_OUT)


def test_judging_in_place_after_the_session_ended_leads_to_signing_in(open_page, ann, desk):
    page = open_page()
    page.goto("/")
    sign_in(page)
    expect(page.get_by_text("Signed in as ann")).to_be_visible()
    ask(page)
    desk.store.end_sessions("ann")
    graded(row(page, 1), "YES").click()
    said = row(page, 1).locator(".line .problem-line")
    expect(said).to_have_text(f"{SIGNED_OUT} Sign in in another tab")
    sign_in_elsewhere(page)
    graded(row(page, 1), "YES").click()
    expect(said).to_have_count(0)
    is_judged(row(page, 1), "YES")


def test_jobs_stop_asking_after_the_session_ended_and_say_so(open_page, ann, desk):
    page, asked = open_page(), []
    page.goto("/jobs")
    sign_in(page)
    expect(page.get_by_text("Under way")).to_be_visible()
    desk.store.end_sessions("ann")
    expect(page.get_by_role("alert")).to_have_text(f"{SIGNED_OUT} Sign in in another tab")
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(2500)
    assert not [url for url in asked if url.endswith("/jobs")]


def test_the_first_steps_lead_to_signing_in_after_the_session_ended(open_page, ann, desk):
    desk.delete_tickets([ticket.id for ticket in tickets()])
    page = open_page()
    page.goto("/")
    sign_in(page)
    steps = page.get_by_role("heading", name="Three steps to the first answer")
    expect(steps).to_be_visible()
    desk.store.end_sessions("ann")
    sign_in(page)
    expect(steps).to_be_visible()


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing_where_people_are_known_and_nothing_is_too_wide(
    open_page, ann, axe, screen
):
    page, found = open_page(**SCREENS[screen]), []

    def look() -> None:
        found.extend(violations(page, axe))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

    page.goto("/account")
    look()
    sign_in(page, password="wrong")
    expect(page.get_by_role("alert")).to_be_visible()
    look()
    page.get_by_label("Password").fill(GOOD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/account")
    page.get_by_label("What it is for").fill("nightly export")
    page.get_by_label("Your password").fill(GOOD)
    page.get_by_role("button", name="Make a token").click()
    expect(page.locator(".secret")).to_have_text(re.compile("^tick_"))
    look()
    for path in ("/people", "/people/change?name=bob", "/audit", "/", "/jobs"):
        page.goto(path)
        look()
    assert found == []


@pytest.mark.parametrize("script", [True, False], ids=["script", "none"])
def test_a_page_with_a_new_token_that_is_loaded_again_makes_no_other(open_page, ann, desk, script):
    page = open_page(java_script_enabled=script)
    page.goto("/account")
    sign_in(page)
    page.wait_for_url("**/account")
    page.get_by_label("What it is for").fill("nightly export")
    page.get_by_label("Your password").fill(GOOD)
    page.get_by_role("button", name="Make a token").click()
    expect(page.locator(".secret")).to_have_text(re.compile("^tick_"))
    page.reload()
    expect(page.get_by_text("This token was made already")).to_be_visible()
    expect(page.locator(".secret")).to_have_count(0)
    assert page.url.endswith("/account")
    assert [token.label for token in desk.store.tokens("ann")] == ["nightly export"]
    page.get_by_label("What it is for").fill("nightly export")
    page.get_by_label("Your password").fill(GOOD)
    page.get_by_role("button", name="Make a token").click()
    expect(page.locator(".secret")).to_have_text(re.compile("^tick_"))
    assert len(desk.store.tokens("ann")) == 2


def test_two_clicks_make_one_token_and_show_it(open_page, ann, desk):
    page = open_page()
    page.goto("/account")
    sign_in(page)
    page.wait_for_url("**/account")
    page.get_by_label("What it is for").fill("nightly export")
    page.get_by_label("Your password").fill(GOOD)
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    page.get_by_role("button", name="Make a token").evaluate(
        "button => { for (const ms of [0, 5]) setTimeout(() => button.click(), ms) }"
    )
    expect(page.locator(".secret")).to_have_text(re.compile("^tick_"))
    assert [url for url in sent if url.endswith("/account/tokens")] == [page.url]
    assert len(desk.store.tokens("ann")) == 1


def test_on_a_phone_labels_stand_beside_their_fields(open_page, ann):
    page = open_page(viewport={"width": 320, "height": 640})
    page.goto("/people/change?name=ann")
    sign_in(page)
    expect(page.get_by_role("form", name="ann")).to_be_visible()
    for id in ("role", "groups"):
        label = page.locator(f"label[for={id}]").bounding_box()
        field = page.locator(f"#{id}").bounding_box()
        assert field["y"] <= label["y"] < field["y"] + field["height"], id


def test_an_admin_adds_somebody_and_changes_them(open_page, ann, desk):
    page = open_page()
    page.goto("/people")
    sign_in(page)
    page.wait_for_url("**/people")
    add = page.get_by_role("form", name="Add somebody")
    add.get_by_label("Name").fill("eve")
    add.get_by_label("First password").fill(GOOD)
    add.get_by_label("Role").select_option("scientist")
    add.get_by_label("Groups").fill("lab, service")
    add.get_by_role("button").click()
    expect(page.locator(".passed")).to_have_text("eve is added.")
    assert desk.known_account("eve").groups == {"lab", "service"}
    page.get_by_role("link", name="Change eve").click()
    change = page.get_by_role("form", name="eve")
    expect(change.get_by_label("Role")).to_be_focused()
    expect(change.get_by_role("button").locator(".sr")).to_have_text("eve")  # heard, not seen
    expect(page.get_by_role("form")).to_have_count(1)  # nothing else that would be lost
    change.get_by_label("Disabled").check()
    change.get_by_role("button").click()
    expect(page.locator(".passed")).to_have_text("eve is changed.")
    assert desk.known_account("eve").disabled


def test_the_last_admins_role_stays_and_the_form_says_why(open_page, ann, desk):
    page = open_page()
    page.goto("/people/change?name=ann")
    sign_in(page)
    change = page.get_by_role("form", name="ann")
    change.get_by_label("Role").select_option("engineer")
    change.get_by_label("Groups").fill("lab, hr")
    change.get_by_role("button").click()
    expect(page.get_by_role("alert")).to_have_text(
        "ann is the last admin; make somebody else one first."
    )
    expect(change.get_by_label("Groups")).to_have_value("lab, hr")
    change.get_by_label("Role").select_option("admin")
    change.get_by_role("button").click()
    expect(page.locator(".passed")).to_have_text("ann is changed.")
    assert desk.known_account("ann").groups == {"lab", "hr"}
