"""Results while a query is written, in a real Chromium."""

import time
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.browser.asking import PHONE, ask
from ticketing.errors import StoreAway
from ticketing.tickets import Query

pytestmark = pytest.mark.browser

KEPT = "The server does not answer; what you wrote is kept here."


def found(page):
    """The rows beside the form."""
    return page.get_by_role("region", name="Found while you write").get_by_role("listitem")


def test_results_appear_while_writing_and_nothing_is_remembered(open_page, desk):
    page = open_page()
    page.goto("/")
    expect(page.get_by_text("Past tickets appear here while you write.")).to_be_visible()
    page.get_by_label("Subject").press_sequentially("exhaust spread")
    expect(found(page).first).to_contain_text("Exhaust temperature spread high")
    expect(page.locator("#status")).to_contain_text("10 shown.")
    assert list(desk.store.queries()) == []
    page.get_by_label("Subject").fill("ex")
    expect(page.get_by_text("Past tickets appear here while you write.")).to_be_visible()


def test_a_link_of_another_program_shows_past_tickets_at_once(open_page, desk):
    page = open_page()
    page.goto("/?subject=exhaust%20spread&description=unit%20trips")
    expect(found(page).first).to_contain_text("Exhaust temperature spread high")
    assert page.get_by_label("Description").input_value() == "unit trips"
    assert list(desk.store.queries()) == []


def pasted(page, text: str) -> None:
    page.get_by_label("Subject").evaluate(
        """(field, text) => {
            const data = new DataTransfer();
            data.setData("text/plain", text);
            const event = { clipboardData: data, bubbles: true, cancelable: true };
            field.dispatchEvent(new ClipboardEvent("paste", event));
        }""",
        text,
    )


def test_a_mail_pasted_into_the_subject_goes_to_the_description(open_page, desk):
    page = open_page()
    page.goto("/")
    mail = "From: Bob\r\nSubject: Exhaust spread\r\n\r\nUnit trips\r\non start\r\n"
    pasted(page, mail)
    description = page.get_by_label("Description")
    assert page.get_by_label("Subject").input_value() == ""
    assert description.input_value() == mail.replace("\r\n", "\n").strip()
    expect(found(page).first).to_contain_text("Exhaust temperature spread high")
    pasted(page, "Another\ntext")  # what is written stays
    assert description.input_value() == mail.replace("\r\n", "\n").strip()
    page.get_by_role("button", name="Find solutions").click()
    page.wait_for_url("**/queries/*")
    assert list(desk.store.queries()) == [Query("Exhaust spread", "Unit trips\non start")]


def test_keys_that_follow_fast_ask_once(open_page):
    page = open_page()
    page.clock.install(time=0)
    page.goto("/")
    page.clock.pause_at(60_000)  # or a busy machine lets time pass between two keys
    asked = []
    page.on("request", lambda request: "/preview" in request.url and asked.append(request))
    page.get_by_label("Subject").press_sequentially("exhaust spread high")
    assert asked == []
    page.clock.run_for(1000)
    expect(found(page).first).to_be_visible()
    page.clock.run_for(1000)
    assert len(asked) == 1


def test_nothing_is_asked_again_for_a_space_and_a_reader_is_told_once_the_keys_rest(open_page):
    page = open_page()
    page.clock.install(time=0)
    page.goto("/")
    page.clock.pause_at(60_000)
    subject, status = page.get_by_label("Subject"), page.locator("#status")
    asked, changes = [], []
    page.on("request", lambda request: "/preview" in request.url and asked.append(request))
    page.expose_function("changed", lambda: changes.append(1))
    status.evaluate("s => new MutationObserver(() => changed()).observe(s, { childList: true })")
    for typed in ("exhaust spread", " ", "high"):
        subject.press_sequentially(typed)
        page.clock.run_for(1000)
        expect(page.locator("#found")).to_have_attribute("aria-busy", "false")
        expect(status).to_be_empty()
    assert len(asked) == 2
    page.clock.run_for(1600)
    expect(status).to_contain_text("10 shown.")
    subject.press_sequentially(" trip")
    page.clock.run_for(400)
    expect(page.locator("#found")).to_have_attribute("aria-busy", "false")
    page.clock.run_for(2000)
    assert len(asked) == 3 and len(changes) == 1  # the same sentence is not said again


def test_what_is_never_answered_is_said_to_be_away(open_page):
    page = open_page()
    page.goto("/")
    page.route("**/preview", lambda route: None)
    page.get_by_label("Subject").fill("exhaust spread")
    expect(page.locator("#found")).to_have_text(KEPT, timeout=20_000)


def test_an_outdated_answer_never_replaces_a_newer_one(open_page, desk, monkeypatch):
    page = open_page()
    page.goto("/")
    recommend = desk.preview

    def slow_for_the_first(query, *rest):
        if "flame" not in query.subject:
            time.sleep(1)
        return recommend(query, *rest)

    monkeypatch.setattr(desk, "preview", slow_for_the_first)
    with page.expect_request("**/preview"):
        page.get_by_label("Subject").fill("vibration bearing")
    page.get_by_label("Subject").fill("flame out at base load")
    expect(found(page).first).to_contain_text("Flame out at base load")
    page.wait_for_timeout(1200)
    expect(found(page).first).to_contain_text("Flame out at base load")


def test_ctrl_enter_sends_the_form(open_page):
    page = open_page()
    page.goto("/")
    page.get_by_label("Description").fill("exhaust spread")
    page.get_by_label("Description").press("Control+Enter")
    page.wait_for_url("**/queries/*")


def test_a_query_is_asked_again_as_it_was_meant(open_page, desk, monkeypatch):
    def meant(name):
        answer = getattr(desk, name)

        def with_meaning(query, *rest, **more):
            found = answer(query, *rest, **more)
            return replace(found, meant={"Vibraton": "vibration"} if "Vibr" in query.text else {})

        monkeypatch.setattr(desk, name, with_meaning)

    meant("preview")
    meant("recommend")
    page = open_page(viewport=PHONE)
    page.goto("/")
    page.get_by_label("Subject").fill("Vibraton bearing (Vibraton)")
    page.get_by_role("button", name="vibration", exact=True).click()
    page.wait_for_url("**/queries/*")
    expect(page.locator(".query .subject")).to_have_text("vibration bearing (vibration)")
    ask(page, "Vibraton", "")
    page.get_by_role("button", name="vibration", exact=True).click()
    expect(page.locator(".query .subject")).to_have_text("vibration")


def test_what_is_shown_of_other_words_is_seen_to_be_so_and_goes_when_nothing_comes(open_page):
    page = open_page()
    page.goto("/")
    page.get_by_label("Subject").fill("exhaust spread")
    expect(found(page).first).to_be_visible()
    waiting = []
    page.route("**/preview", lambda route: waiting.append(route))
    with page.expect_request("**/preview"):
        page.get_by_label("Subject").fill("an invoice was paid twice")
    expect(page.locator("#found")).to_have_attribute("aria-busy", "true")
    expect(page.locator("#found .rows")).to_have_css("opacity", "0.5")
    waiting[-1].fulfill(status=502)
    expect(page.locator("#found")).to_have_text(KEPT)
    expect(page.locator("#found")).to_have_attribute("aria-busy", "false")


def test_on_a_phone_rank_and_score_leave_the_subject_its_room(open_page):
    page = open_page(viewport=PHONE)
    page.goto("/")
    page.get_by_label("Subject").fill("exhaust spread")
    expect(found(page).first).to_be_visible()
    assert found(page).first.locator(".rank").bounding_box()["width"] < 40
    what = found(page).first.locator(".what").bounding_box()
    assert what["width"] > 0.75 * PHONE["width"]


def test_a_search_that_is_given_up_can_be_asked_again(open_page):
    page = open_page()
    page.goto("/")
    page.evaluate(
        "addEventListener('submit', (event) => {"
        "  window.sent = (window.sent ?? 0) + !event.defaultPrevented;"
        "  document.title = `sent ${window.sent}`;"
        "  event.preventDefault(); })"  # as if no answer came
    )
    page.get_by_label("Subject").fill("exhaust spread")
    page.get_by_role("button", name="Find solutions").click()
    busy = page.get_by_role("button", name="Searching")
    expect(busy).to_have_attribute("aria-disabled", "true")
    expect(page).to_have_title("sent 1")
    busy.dispatch_event("click")
    page.wait_for_timeout(300)
    assert page.evaluate("sent") == 1
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Find solutions").click()
    expect(page).to_have_title("sent 2")


def test_what_was_written_stays_where_the_server_is_away_and_is_sent_once_it_is_back(open_page):
    page = open_page()
    page.goto("/")
    page.get_by_label("Subject").fill("exhaust spread")
    page.context.set_offline(True)
    page.get_by_role("button", name="Find solutions").click()
    expect(page.locator("form .problem-line")).to_have_text(KEPT)
    expect(page.locator("#status")).to_have_text(KEPT)
    expect(page.get_by_label("Subject")).to_have_value("exhaust spread")
    page.context.set_offline(False)
    page.get_by_role("button", name="Find solutions").click()
    page.wait_for_url("**/queries/*")


def test_what_was_written_stays_where_the_server_hangs(open_page):
    page = open_page()
    page.clock.install()
    page.goto("/")
    page.get_by_label("Subject").fill("exhaust spread")
    with page.expect_request(lambda request: "form-token" in request.url or "icon" in request.url):
        page.route("**/account/form-token", lambda route: None)  # never answered
        page.route("**/icon.svg", lambda route: None)
        page.get_by_role("button", name="Find solutions").click()
    expect(page.get_by_role("button", name="Searching …")).to_be_visible()
    page.clock.fast_forward(9000)
    expect(page.locator("form .problem-line")).to_have_text(KEPT)
    expect(page.get_by_label("Subject")).to_have_value("exhaust spread")
    page.unroute_all()
    page.get_by_role("button", name="Find solutions").click()
    page.wait_for_url("**/queries/*")


def test_why_a_form_is_not_sent_is_said_as_the_server_says_it(open_page, desk, monkeypatch):
    def away(*_):
        raise StoreAway("Elasticsearch is away; try again.")

    page = open_page()
    page.goto("/")
    page.get_by_label("Subject").fill("exhaust spread")
    monkeypatch.setattr(desk, "has_accounts", away)
    page.get_by_role("button", name="Find solutions").click()
    said = page.locator("form .problem-line")
    expect(said).to_have_text("Elasticsearch is away; try again.")
    expect(page.get_by_label("Subject")).to_have_value("exhaust spread")


def test_why_nothing_appears_while_writing_is_said(open_page):
    page = open_page()
    page.goto("/")
    beside, invited = page.locator("#found"), "Past tickets appear here while you write."
    page.get_by_label("Description").fill("pump " * 50_000)
    expect(beside).to_contain_text("more than the 200,000 allowed")
    page.get_by_label("Description").fill("exhaust spread")
    expect(found(page).first).to_be_visible()
    page.context.set_offline(True)
    page.get_by_label("Subject").fill("vibration")
    expect(beside).to_have_text(KEPT)
    expect(page.locator("#status")).to_have_text(KEPT)
    page.context.set_offline(False)
    page.get_by_label("Subject").fill("")
    expect(found(page).first).to_be_visible()
    page.get_by_label("Description").fill("")
    expect(beside).to_have_text(invited)
