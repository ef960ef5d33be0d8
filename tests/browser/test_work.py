"""Rounds of judging, history, jobs and the first steps, in a real Chromium."""

import threading
from dataclasses import replace
from datetime import datetime

import pytest
from playwright.sync_api import expect

from tests.browser.asking import PHONE, ask, grades
from tests.browser.test_accessibility import SCREENS, axe, violations
from tests.fake_records import tickets
from ticketing.jobs import LogLine
from ticketing.tickets import Filters, Grade, Query

pytestmark = pytest.mark.browser

__all__ = ["axe"]


def begin(page, desk) -> None:
    desk.store.put_queries([Query("Exhaust spread high"), Query("Pump leaks oil")])
    page.goto("/judging")
    page.get_by_label("How many queries").fill("1")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/judging/round?*")


def test_one_key_judges_and_the_next_ticket_comes(open_page, desk):
    page = open_page()
    begin(page, desk)
    progress = page.locator("#progress")
    for i, key in enumerate(("y", "r", "n")):
        expect(progress).to_contain_text(f"{i} of 10 tickets judged")
        page.wait_for_load_state()  # a key before the script is there is heard by nobody
        page.keyboard.press(key)
    expect(progress).to_contain_text("3 of 10 tickets judged")
    page.wait_for_load_state()
    page.keyboard.press("u")
    expect(progress).to_contain_text("2 of 10 tickets judged")
    page.get_by_label("Note").fill("y")
    page.get_by_role("button", name="YES").click()
    expect(progress).to_contain_text("3 of 10 tickets judged")
    assert grades(desk) == [Grade.YES, Grade.REL, Grade.NO, None, Grade.YES]
    assert list(desk.store.judgments())[-1].note == "y"


def test_a_key_while_the_next_ticket_is_under_way_judges_neither(open_page, desk, monkeypatch):
    record, pressed = desk.judge, threading.Event()

    def judge(*args, **kwargs):
        assert pressed.wait(60)
        return record(*args, **kwargs)

    monkeypatch.setattr(desk, "judge", judge)
    page = open_page()
    begin(page, desk)
    page.wait_for_load_state()
    page.keyboard.press("y")
    page.wait_for_timeout(300)
    page.keyboard.press("n")
    pressed.set()
    expect(page.locator("#progress")).to_contain_text("1 of 10 tickets judged")
    page.wait_for_timeout(1500)
    assert grades(desk) == [Grade.YES]


def test_a_note_stays_where_the_server_is_away_and_the_next_key_judges(open_page, desk):
    page = open_page()
    begin(page, desk)
    page.get_by_label("Note").fill("as at Halverstad")
    page.get_by_label("Note").blur()
    page.context.set_offline(True)
    page.keyboard.press("y")
    kept = page.get_by_text("The server does not answer; what you wrote is kept here.")
    expect(kept.first).to_be_visible()
    expect(page.get_by_label("Note")).to_have_value("as at Halverstad")
    page.context.set_offline(False)
    page.keyboard.press("r")
    expect(page.locator("#progress")).to_contain_text("1 of 10 tickets judged")
    (event,) = desk.store.judgments()
    assert (event.grade, event.note) == (Grade.REL, "as at Halverstad")


def test_a_key_after_one_that_was_given_up_judges(open_page, desk):
    page = open_page()
    begin(page, desk)
    page.wait_for_load_state()
    page.evaluate("addEventListener('submit', (event) => event.preventDefault(), { once: true })")
    page.evaluate("document.querySelector('.give').requestSubmit = () => {}")  # as if none answered
    page.keyboard.press("y")
    page.wait_for_timeout(500)
    page.evaluate("delete document.querySelector('.give').requestSubmit")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.locator("#progress")).to_contain_text("1 of 10 tickets judged")
    assert grades(desk) == [Grade.NO]


def test_a_round_says_what_its_grades_mean_where_nothing_can_be_pointed_at(open_page, desk):
    page = open_page(viewport=PHONE)
    begin(page, desk)
    expect(
        page.get_by_text("YES solves it, REL is related and helps, NO does not help.")
    ).to_be_visible()


@pytest.mark.parametrize("screen", [PHONE, {"width": 640, "height": 450}], ids=["phone", "zoomed"])
def test_on_a_small_screen_a_round_folds_what_is_needed_less(open_page, desk, screen):
    """On a screen of 1280 by 900 at 200 %, the note stood where the query should."""
    page = open_page(viewport=screen)
    begin(page, desk)
    note = page.get_by_label("Note")
    expect(note).to_be_hidden()
    page.get_by_text("Note (optional)").click()
    note.fill("looked")
    page.get_by_role("button", name="NO").click()
    expect(page.locator("#progress")).to_have_text("1 of 10 tickets judged, of 1 query.")
    expect(note).to_be_hidden()
    texts = page.locator(".versus .panel").last.locator("h3")
    expect(texts).to_have_text(["Solution", "Description"])
    assert [judgment.note for judgment in desk.store.judgments()] == ["looked"]


def test_a_note_comes_back_when_its_grade_is_undone(open_page, desk):
    page = open_page(viewport=PHONE)
    begin(page, desk)
    page.get_by_text("Note (optional)").click()
    page.get_by_label("Note").fill("as at Halverstad")
    page.get_by_role("button", name="NO").click()
    expect(page.locator("#progress")).to_contain_text("1 of 10 tickets judged")
    expect(page.get_by_label("Note")).to_have_value("")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#progress")).to_contain_text("0 of 10 tickets judged")
    expect(page.get_by_label("Note")).to_be_visible()
    expect(page.get_by_label("Note")).to_have_value("as at Halverstad")


def test_a_round_goes_to_its_end_without_script(open_page, desk):
    page = open_page(java_script_enabled=False)
    begin(page, desk)
    for judged in range(10):
        expect(page.locator("#progress")).to_contain_text(f"{judged} of 10 tickets judged")
        page.get_by_role("button", name="NO").click()
    expect(page.get_by_role("heading", name="The round is done")).to_be_visible()
    assert grades(desk) == [Grade.NO] * 10


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing_on_pages_with_something_on_them(open_page, desk, axe, screen):
    page = open_page(**SCREENS[screen])
    ask(page)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Saved")).to_be_visible()
    ask(page, "The coffee machine is loud", "")
    begin(page, desk)
    with page.expect_navigation():
        page.get_by_role("button", name="NO").click()
    shown = page.url
    for judge, grade in (("ann", Grade.YES), ("bob", Grade.NO)):
        desk.judge(Query("Pump leaks oil").id, "GT-0101", grade, judge)
    found = []
    for path in (shown, "/history", "/unanswered", "/judging/agreement", "/quality"):
        page.goto(path)
        found += violations(page, axe)
    assert found == []


def test_a_disagreement_is_read_on_a_phone_and_leads_to_judging_again(open_page, desk):
    query = Query("Pump leaks oil")
    desk.store.put_queries([query])
    for judge, grade in (("ann", Grade.YES), ("bob", Grade.NO)):
        desk.judge(query.id, "GT-0101", grade, judge)
    page = open_page(viewport=PHONE)
    page.goto("/judging/agreement")
    texts, one, other = (span.bounding_box() for span in page.locator(".differ > li > span").all())
    assert texts["y"] < one["y"] < other["y"]
    page.get_by_role("link", name="GT-0101").click()
    page.get_by_role("button", name="REL").click()
    expect(page.locator("[aria-pressed=true]")).to_have_attribute("value", "REL")


def test_a_saved_query_is_found_in_the_history_and_leads_back(open_page):
    page = open_page()
    ask(page)
    was_at = page.url
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Saved")).to_be_visible()
    page.get_by_role("link", name="History").click()
    page.get_by_role("link", name="Exhaust spread high").first.click()
    expect(page).to_have_url(was_at)


def test_saving_in_the_history_keeps_the_place(open_page, desk):
    """One was led back to the top of a list of fifty."""
    for number in range(30):
        desk.ask(Query(f"pump {number} leaks"), Filters(), "local")
    page = open_page(viewport=PHONE)
    page.goto("/history")
    asked = page.locator("#asked ~ .rows > li").last
    for button in ("Save", "Saved ✓", "Save"):
        asked.get_by_role("button", name=f"{button} pump 0 leaks").click()
        expect(asked.get_by_role("button", name=f"{button} pump 0 leaks")).to_have_count(0)
        expect(asked).to_be_in_viewport()


def test_the_first_steps_follow_and_open_the_form(open_page, desk):
    desk.delete_tickets([ticket.id for ticket in tickets()])
    page = open_page()
    page.goto("/")
    expect(page.get_by_role("heading", name="Three steps to the first answer")).to_be_visible()
    steps = page.locator("#steps")
    steps.evaluate("steps => (steps.dataset.same = '')")
    page.wait_for_timeout(3000)
    expect(steps).to_have_attribute("data-same", "")  # asked again, and nothing was new
    desk.put_tickets(tickets())
    expect(page.get_by_label("Subject")).to_be_visible(timeout=10_000)


def test_the_first_steps_leave_the_focus_and_rest_while_nobody_looks(open_page, desk, monkeypatch):
    setup = replace(desk.setup(), tickets=5, trained=False, serving=False)
    monkeypatch.setattr(desk, "setup", lambda: setup)
    page, asked = open_page(), []
    page.goto("/")
    link = page.locator(".step").nth(1).get_by_role("link", name="Jobs")
    link.focus()
    monkeypatch.setattr(desk, "setup", lambda: replace(setup, tickets=6))
    expect(page.locator("#steps")).to_contain_text("6 tickets are here.")
    expect(link).to_be_focused()
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    page.wait_for_timeout(500)
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(2500)
    assert asked == []


def test_jobs_renew_and_leave_focus_and_selection(open_page, desk):
    page = open_page()
    page.goto("/jobs")
    figures = page.locator("#job-7f3a .figures")
    piece, link = page.locator("#jobs"), page.locator("#job-1b9e h2 a")
    link.focus()
    piece.evaluate("piece => (piece.dataset.same = '')")
    renewed(page)
    expect(piece).to_have_attribute("data-same", "")  # as nothing in it was new
    desk.store.update_job("7f3a", done=400)
    expect(figures).to_contain_text("400 of 949 tickets")
    expect(link).to_be_focused()
    figures.evaluate("figures => getSelection().selectAllChildren(figures)")
    desk.store.update_job("7f3a", done=500)
    renewed(page)
    assert "400 of 949" in page.evaluate("getSelection().toString()")
    page.evaluate("getSelection().removeAllRanges()")
    expect(figures).to_contain_text("500 of 949 tickets")


@pytest.mark.parametrize(
    "zone, winter, summer, clock",
    [
        ("UTC", "08:00 UTC", "08:00 UTC", "23:30:15"),
        ("Europe/Berlin", "09:00 CET", "10:00 CEST", "01:30:15"),
        ("Asia/Kolkata", "13:30 GMT+5:30", "13:30 GMT+5:30", "05:00:15"),
    ],
)
def test_times_are_the_readers_own(open_page, desk, zone, winter, summer, clock):
    done = desk.store.get_job("1b9e")
    desk.store.put_job(replace(done, id="a", created=datetime(2014, 1, 1, 8)))
    said = LogLine(datetime(2014, 9, 1, 23, 30, 15), "half is done")
    desk.store.put_job(replace(desk.store.get_job("7f3a"), log=(said,)))
    page = open_page(timezone_id=zone)
    page.goto("/jobs")
    times = page.locator("#job-7f3a .facts time"), page.locator("#job-a .facts time")
    expect(times[0]).to_have_text(f"1 September 2014, {summer}")
    expect(times[1]).to_have_text(f"1 January 2014, {winter}")
    expect(times[1]).to_have_attribute("title", "2014-01-01 08:00:00 UTC")
    desk.store.update_job("7f3a", done=401)
    expect(page.locator("#job-7f3a .figures")).to_contain_text("401 of 949 tickets")
    expect(times[0]).to_have_text(f"1 September 2014, {summer}")  # in what was renewed
    page.goto("/jobs/7f3a")
    expect(page.locator(".log-lines time").last).to_have_text(clock)


def renewed(page) -> None:
    """The page has asked for its jobs, and had the time to show them."""
    for _ in range(2):
        with page.expect_response("**/jobs"):
            pass


NARROW = {"width": 320, "height": 640}


def test_on_a_phone_the_facts_of_jobs_and_models_are_as_wide_as_their_cards(open_page, desk):
    old, new = desk.save_bundle(30), desk.save_bundle(60)
    for served in (old, new):
        desk.store.set_serving(served)
    page = open_page(viewport=NARROW)
    for path in ("/jobs", "/models"):
        page.goto(path)
        for header in page.locator(".card > header").all():
            facts, state = header.locator(".facts"), header.locator(".state")
            assert facts.bounding_box()["width"] == header.bounding_box()["width"]
            assert state.bounding_box()["y"] < facts.bounding_box()["y"]


@pytest.mark.parametrize("script", [True, False], ids=["script", "none"])
@pytest.mark.parametrize("key", ["Enter", "Control+Enter"])
def test_enter_in_a_note_gives_no_grade(open_page, desk, script, key):
    page = open_page(java_script_enabled=script)
    begin(page, desk)
    note = page.get_by_label("Note")
    note.fill("another burner: this does not apply")
    note.press(key)
    page.wait_for_timeout(300)
    expect(note).to_have_value("another burner: this does not apply")
    assert grades(desk) == []


def test_a_file_that_is_too_large_is_not_sent_and_what_was_typed_stays(open_page, desk, tmp_path):
    """The server's bare sentence took the place of the page, and of the columns typed there."""
    large, small = tmp_path / "large.csv", tmp_path / "small.csv"
    with large.open("wb") as file:
        file.truncate(64 * 2**20 + 1)
    small.write_text("id,headline\nT-1,Pump leaks\n")
    page = open_page()
    page.goto("/jobs")
    page.get_by_text("Import tickets").click()
    columns, chosen = page.get_by_label("Columns"), page.get_by_label("A file")
    columns.fill("subject=headline")
    chosen.set_input_files(large)
    page.get_by_role("button", name="Import", exact=True).click()
    said = chosen.evaluate("field => field.validationMessage")
    assert said.startswith("The file is larger than the 64 MB that can be sent; split it,")
    expect(columns).to_have_value("subject=headline")
    assert page.url.endswith("/jobs")
    chosen.set_input_files(small)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="What was asked for")).to_be_visible()
    assert desk.store.jobs()[0].arguments["files"][0]["rows"] == 1
