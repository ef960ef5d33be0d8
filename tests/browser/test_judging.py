"""Judging in a real Chromium: in place, undone, refused, lost, in order, in two windows."""

import threading
import time
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.browser.asking import LAPTOP, PHONE, WIDE, ask, graded, grades, is_judged, row
from ticketing.tickets import Grade

pytestmark = pytest.mark.browser

WEIGHT = "found => Number(getComputedStyle(found).fontWeight)"


@pytest.fixture
def slow_at_first(desk, monkeypatch):
    """The desk records its first judgment once this event is set, and later ones at once."""
    record, calls, go_on = desk.judge, [], threading.Event()

    def judge(*args, **kwargs):
        calls.append(1)
        if len(calls) == 1:
            assert go_on.wait(60)
        return record(*args, **kwargs)

    monkeypatch.setattr(desk, "judge", judge)
    return go_on


def test_judging_and_undoing_happen_in_place(open_page, desk):
    page = open_page()
    ask(page)
    loads = []
    page.on("load", lambda: loads.append(1))
    first = row(page, 1)
    graded(first, "YES").click()
    is_judged(first, "YES")
    expect(page.locator("#status")).to_have_text("GT-0101 is judged YES.")
    graded(first, "").click()
    is_judged(first, "")
    expect(page.locator("#status")).to_have_text("The judgment of GT-0101 is undone.")
    expect(graded(first, "")).to_be_hidden()
    assert grades(desk) == [Grade.YES, None]
    event = next(desk.store.judgments())
    assert (event.ticket_id, event.rank) == ("GT-0101", 1)
    assert loads == []


@pytest.mark.parametrize("script", [True, False], ids=["script", "none"])
def test_what_was_judged_is_said_in_place_of_what_was_guessed(open_page, script):
    page = open_page(viewport=WIDE, java_script_enabled=script)
    ask(page)
    first = row(page, 1)
    guessed, bold = first.locator(".score, .guess"), first.locator("h2").evaluate(WEIGHT)
    expect(guessed.first).to_be_visible()
    expect(first.locator(".mine").first).to_be_hidden()
    graded(first, "NO").click()
    expect(first.locator(".line").get_by_text("You said NO")).to_be_visible()
    expect(first.locator(".detail").get_by_text("You said NO")).to_be_visible()
    for guess in guessed.all():
        expect(guess).to_be_hidden()
    assert first.locator("h2").evaluate(WEIGHT) < bold
    first.locator("a.ticket").click()
    expect(page.locator(".asked-of")).to_contain_text("You said NO")
    expect(page.get_by_text("The chance that")).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("The chance that")).to_be_visible()
    if script:  # else it is a page of its own
        expect(page.locator("#status")).to_contain_text("is undone")
    page.go_back() if script else page.get_by_role("link", name="Back to the results").click()
    expect(first.locator(".score")).to_be_visible()


@pytest.mark.parametrize("script", [True, False], ids=["script", "none"])
def test_the_heading_says_what_was_judged(open_page, desk, script):
    """Ten rows of NO stood under "92 % that one solves this", with a script until the page was
    loaded again; then a YES under "You found no solution", and a YES under 91 %."""
    recommend = desk.recommend

    def few(*args, **kwargs):
        first, copy, second, *_ = (answer := recommend(*args, **kwargs)).items
        return replace(answer, items=(replace(first, like=(copy,)), second))

    desk.recommend = few
    page = open_page(java_script_enabled=script)
    ask(page)
    none = page.get_by_role("heading", name="You found no solution", exact=True)
    one = page.get_by_role("heading", name="You found a solution", exact=True)
    promise = page.get_by_text("% that one solves this")
    page.locator(".like > summary").click()
    first, copy, second = (page.locator(".row").nth(place) for place in range(3))
    graded(first, "NO").click()
    is_judged(first, "NO")
    expect(none).to_be_hidden()
    expect(promise).to_be_visible()
    graded(second, "REL").click()
    expect(none).to_be_visible()
    expect(promise).to_be_hidden()
    if not script:  # it is a page of its own
        page.locator(".like > summary").click()
    graded(copy, "YES").click()
    is_judged(copy, "YES")
    expect(one).to_be_visible()
    expect(none).to_be_hidden()
    expect(promise).to_be_hidden()
    graded(copy, "").click()
    expect(none).to_be_visible()
    expect(one).to_be_hidden()
    graded(first, "").click()
    expect(promise).to_be_visible()


def test_a_judged_solution_does_not_stand_below_that_nothing_matches(open_page):
    page = open_page()
    ask(page, "Zorblax frobnitz", "Qwfpgj.")
    warning = page.locator(".no-match")
    expect(warning).to_be_visible()
    graded(page.locator(".row").first, "YES").click()
    is_judged(page.locator(".row").first, "YES")
    expect(page.get_by_role("heading", name="You found a solution")).to_be_visible()
    expect(warning).to_be_hidden()


@pytest.mark.parametrize("screen", [PHONE, LAPTOP, WIDE], ids=["phone", "laptop", "wide"])
@pytest.mark.parametrize("subject", ["Exhaust spread high", "Zorblax frobnitz"])
def test_no_row_moves_as_one_is_judged(open_page, subject, screen):
    """Below "Nothing matches well" the rows moved up by one, so that a double click on YES judged
    two tickets."""
    page = open_page(viewport=screen)
    ask(page, subject, "")
    place = row(page, 2).bounding_box()["y"]
    graded(row(page, 2), "YES").click()
    is_judged(row(page, 2), "YES")
    expect(page.get_by_role("heading", name="You found a solution")).to_be_visible()
    assert row(page, 2).bounding_box()["y"] == place


@pytest.mark.parametrize("grade", Grade)
@pytest.mark.parametrize("place", [".line", ".here"])
def test_a_double_click_judges_as_one_click(open_page, desk, grade, place):
    """Undo appeared and moved the others, so that a double click on YES stored REL, one on REL
    stored NO, and one on NO was undone."""
    page = open_page(viewport=WIDE if place == ".line" else PHONE)
    ask(page)
    if place == ".here":
        row(page, 1).get_by_role("link").first.click()
    row(page, 1).locator(f"{place} button[value={grade.name}]").dblclick()
    is_judged(row(page, 1), grade.name)
    expect(page.locator("#status")).to_contain_text(f"is judged {grade.name}.")
    assert grades(desk) == [grade]


def test_the_last_key_wins_while_the_first_request_is_slow(open_page, desk, slow_at_first):
    page = open_page()
    ask(page)
    page.keyboard.press("j")
    page.keyboard.press("y")
    page.wait_for_timeout(400)
    page.keyboard.press("n")
    slow_at_first.set()
    is_judged(row(page, 1), "NO")
    expect(page.locator("#status")).to_have_text("GT-0101 is judged NO.")
    page.wait_for_timeout(1000)
    is_judged(row(page, 1), "NO")
    assert grades(desk)[-1] == Grade.NO


def test_of_many_keys_only_the_last_is_sent_after_a_slow_one(open_page, desk, slow_at_first):
    page = open_page()
    ask(page)
    for key in "jynrn":
        page.keyboard.press(key)
    slow_at_first.set()
    expect(page.locator("#status")).to_have_text("GT-0101 is judged NO.")
    assert grades(desk) == [Grade.YES, Grade.NO]


def test_a_judgment_outlives_the_page(open_page):
    page = open_page()
    ask(page)
    graded(row(page, 2), "REL").click()
    expect(page.locator("#status")).to_contain_text("is judged REL.")
    page.reload()
    is_judged(row(page, 2), "REL")
    expect(page.locator(".line [aria-pressed=true]")).to_have_count(1)


def test_back_shows_what_was_judged_and_what_was_typed(open_page):
    page = open_page()
    ask(page)
    graded(row(page, 1), "YES").click()
    expect(page.locator("#status")).to_have_text("GT-0101 is judged YES.")
    row(page, 1).get_by_role("link", name="The ticket’s page").click()
    page.wait_for_url("**/tickets/*")
    page.go_back()
    is_judged(row(page, 1), "YES")
    page.go_back()
    expect(page.get_by_label("Subject")).to_have_value("Exhaust spread high")
    expect(page.get_by_label("Description")).to_have_value("Unit trips on start")


def test_a_refused_judgment_is_said_and_nothing_is_pressed(open_page, desk):
    page = open_page()
    ask(page)
    desk.delete_tickets(["GT-0101"])
    graded(row(page, 1), "NO").click()
    sentence = "There is no ticket GT-0101; it may have been deleted meanwhile."
    expect(page.locator("#status")).to_have_text(sentence)
    expect(row(page, 1).locator(".line .problem-line")).to_have_text(sentence)
    is_judged(row(page, 1), "")


@pytest.mark.parametrize(
    "kind, body",
    [("text/html", "<html>Bad Gateway</html>"), ("application/json", '{"detail": "no"}')],
    ids=["page", "JSON"],
)
def test_a_page_of_a_proxy_in_between_is_a_sentence(open_page, kind, body):
    page = open_page()
    ask(page)
    bad = {"status": 502, "content_type": kind, "body": body}
    page.route("**/api/judgments", lambda route: route.fulfill(**bad))
    graded(row(page, 1), "YES").click()
    expect(row(page, 1).locator(".line .problem-line")).to_have_text(
        "The server answered 502 and not as expected; try again."
    )
    is_judged(row(page, 1), "")


def test_a_judgment_is_called_given_once_it_is_stored_and_given_up_when_no_answer_comes(open_page):
    page = open_page(viewport=WIDE)
    ask(page)
    first, waiting = row(page, 1), []
    said, complaint = first.locator(".line .mine"), first.locator(".line .problem-line")
    page.route("**/api/judgments", lambda route: waiting.append(route))
    graded(first, "NO").click()
    expect(graded(first, "NO")).to_have_css("border-style", "dashed")
    expect(said).to_be_hidden()
    expect(first.locator(".line .score")).to_be_visible()
    expect(complaint).to_have_text("The server does not answer; try again.", timeout=20_000)
    expect(page.locator("#status")).to_have_text("The server does not answer; try again.")
    is_judged(first, "")
    with page.expect_request("**/api/judgments"):
        graded(first, "YES").click()
    expect(complaint).to_have_count(0)
    expect(graded(first, "YES")).to_have_css("border-style", "dashed")
    waiting[-1].continue_()
    expect(said).to_have_text("You said YES")
    expect(graded(first, "YES")).to_have_css("border-style", "solid")


def test_a_lost_answer_is_tried_again_and_counts_once(open_page, desk):
    page = open_page()
    ask(page)
    tries = []

    def lose_the_first_answer(route):
        tries.append(route.request.post_data_json["event_id"])
        if len(tries) == 1:
            route.fetch()  # the server records it, the page never hears
            route.abort()
        else:
            route.continue_()

    page.route("**/api/judgments", lose_the_first_answer)
    graded(row(page, 1), "YES").click()
    expect(page.locator("#status")).to_have_text("GT-0101 is judged YES.")
    is_judged(row(page, 1), "YES")
    assert len(tries) == 2 and len(set(tries)) == 1
    assert grades(desk) == [Grade.YES]


@pytest.mark.parametrize("script", [True, False], ids=["script", "none"])
def test_a_grade_of_another_window_is_not_replaced_in_silence(open_page, desk, script):
    page = open_page(java_script_enabled=script)
    ask(page)
    query_id = page.url.rsplit("/", 1)[1]
    desk.judge(query_id, "GT-0101", Grade.NO, "local")
    graded(row(page, 1), "YES").click()
    sentence = "GT-0101 was judged NO in another window since this page was loaded; it is YES now."
    expect(page.get_by_text(sentence).first).to_be_visible()
    is_judged(row(page, 1), "YES")
    subject, other = (row(page, rank).locator("h2").first for rank in (1, 2))
    assert subject.bounding_box()["width"] > other.bounding_box()["width"] / 2


@pytest.mark.parametrize("screen", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_message_of_a_row_has_a_line_of_its_own(open_page, desk, screen):
    page = open_page(viewport=screen)
    ask(page)
    first, second = row(page, 1), row(page, 2)
    desk.judge(page.url.rsplit("/", 1)[1], "GT-0101", Grade.NO, "local")
    graded(first, "YES").click()
    said = first.locator(".line .problem-line")
    expect(said).to_contain_text("was judged NO in another window")
    said_at, buttons = said.bounding_box(), first.locator(".judge").bounding_box()
    assert said_at["y"] >= buttons["y"] + buttons["height"]
    assert said_at["x"] == first.locator("h2").first.bounding_box()["x"]
    assert said_at["height"] < (30 if screen == WIDE else 80)
    desk.delete_tickets([second.locator("[name=ticket_id]").input_value()])
    graded(second, "YES").click()
    failed = second.locator(".line .problem-line")
    expect(failed).to_contain_text("There is no ticket")
    colours = [one.evaluate("e => getComputedStyle(e).color") for one in (said, failed)]
    assert colours[0] != colours[1]


def test_colleagues_verdicts_are_shown_beside_mine(open_page, desk):
    page = open_page()
    ask(page)
    desk.judge(page.url.rsplit("/", 1)[1], "GT-0101", Grade.REL, "Grace")
    graded(row(page, 1), "YES").click()
    expect(page.locator("#status")).to_have_text("GT-0101 is judged YES.")
    page.reload()
    is_judged(row(page, 1), "YES")
    expect(row(page, 1).locator(".facts").first).to_contain_text("Grace: REL")
    expect(row(page, 1).locator(".said")).to_have_text("REL Grace, " + today())


def today() -> str:
    """The day in UTC, as pages write it."""
    now = time.gmtime()
    return f"{now.tm_mday} {time.strftime('%B %Y', now)}"
