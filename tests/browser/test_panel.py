"""The open ticket beside the list in a real Chromium: in sight, and nothing moves as it opens."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.asking import PHONE, ask, graded, grades, is_judged, row
from ticketing.tickets import Grade

pytestmark = pytest.mark.browser

LAPTOP = {"width": 1366, "height": 650}


@pytest.mark.parametrize("scrolled", [0, 120])
@pytest.mark.parametrize("rank", [3, 6])
def test_the_click_after_one_that_opens_a_row_meets_the_same_row(open_page, rank, scrolled):
    page = open_page(viewport=LAPTOP)
    ask(page)
    page.mouse.wheel(0, scrolled)
    expect(page.locator("html")).to_have_js_property("scrollTop", scrolled)
    ticket = row(page, rank).locator("[name=ticket_id]").input_value()
    opens, related = (
        row(page, rank).locator(part).first.bounding_box() for part in ("a.open", "[value=REL]")
    )
    page.mouse.click(opens["x"] + 15, opens["y"] + 8)
    expect(row(page, rank).locator(".detail")).to_be_visible()
    page.evaluate("new Promise(requestAnimationFrame)")  # when a browser scrolls to what is named
    page.mouse.click(related["x"] + 15, related["y"] + 10)
    expect(page.locator("#status")).to_have_text(f"{ticket} is judged REL.")
    assert page.evaluate("scrollY") == scrolled


def test_all_of_the_panel_is_in_sight_wherever_the_page_stands(open_page):
    page = open_page(viewport={"width": 1366, "height": 480})
    ask(page)
    detail = page.locator(".detail:visible")
    for scrolled in (0, 150, 9999):
        page.evaluate("top => scrollTo({ top })", scrolled)
        page.wait_for_function(
            """() => {
              const details = [...document.querySelectorAll(".detail")];
              const detail = details.find((one) => one.checkVisibility());
              const { top, bottom, height } = detail.getBoundingClientRect();
              return top >= 0 && bottom <= innerHeight && height > 250;
            }"""
        )
        expect(detail.locator("h3").first).to_be_in_viewport()
    assert page.evaluate("scrollY") > 150


def test_the_panel_scrolls_by_keys(open_page):
    page = open_page(viewport={"width": 1366, "height": 480})
    ask(page)
    page.keyboard.press("j")
    page.keyboard.press("o")
    detail = row(page, 1).locator(".detail")
    expect(detail).to_be_focused()
    page.keyboard.press("End")
    expect(detail).not_to_have_js_property("scrollTop", 0)


@pytest.mark.parametrize("key", ["Control", "Shift"])
def test_a_click_with_a_key_held_opens_a_page_of_its_own(open_page, key):
    page = open_page(viewport=LAPTOP)
    ask(page)
    with page.context.expect_page() as opened:
        row(page, 3).get_by_role("link").first.click(modifiers=[key])
    expect(opened.value).to_have_url(re.compile("/queries/.*#t-GT-"))
    expect(row(opened.value, 3).locator(".detail")).to_be_visible()
    expect(row(page, 1).locator(".detail")).to_be_visible()


def test_on_a_phone_a_row_that_a_key_opens_shows_its_subject(open_page):
    page = open_page(viewport=PHONE | {"height": 400})  # less than there is to read
    ask(page)
    for _ in range(6):
        page.keyboard.press("j")
    for key in ("o", "Escape", "o"):
        page.keyboard.press(key)
        page.evaluate("new Promise(requestAnimationFrame)")
        expect(row(page, 6).locator("h2")).to_be_in_viewport(ratio=1)
    expect(row(page, 6).locator(".detail")).to_be_focused()


@pytest.mark.parametrize("script", [True, False], ids=["script", "none"])
@pytest.mark.parametrize("screen", [LAPTOP | {"height": 480}, PHONE], ids=["wide", "phone"])
def test_a_ticket_is_judged_where_it_is_read(open_page, desk, screen, script):
    page = open_page(viewport=screen, java_script_enabled=script)
    ask(page)
    second, bar = row(page, 2), row(page, 2).locator(".here")
    second.get_by_role("link").first.click()
    for text in ("h4", ".details summary"):
        second.locator(".detail").locator(text).first.scroll_into_view_if_needed()
        expect(bar.locator("[value=NO]")).to_be_in_viewport(ratio=1)
    expect(graded(second, "NO")).to_be_visible(visible=screen != PHONE)
    bar.locator("[value=NO]").click()
    is_judged(second, "NO")
    expect(bar).to_contain_text("You said NO")
    bar.locator(".undo").click()
    is_judged(second, "")
    if script:
        expect(bar.locator("[value=YES]")).to_be_focused()
        expect(page.locator("#status")).to_contain_text("is undone")
    assert grades(desk) == [Grade.NO, None]
    assert page.evaluate("document.documentElement.scrollWidth") <= screen["width"]


def test_what_went_wrong_is_said_where_the_ticket_is_read(open_page, desk):
    page = open_page(viewport=PHONE)
    ask(page)
    row(page, 1).get_by_role("link").first.click()
    desk.delete_tickets(["GT-0101"])
    bar = row(page, 1).locator(".here")
    bar.locator("[value=YES]").click()
    expect(bar.locator(".problem-line")).to_contain_text("There is no ticket GT-0101")
    expect(bar.locator(".problem-line")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("screen", [LAPTOP | {"height": 480}, PHONE], ids=["wide", "phone"])
def test_the_buttons_hide_nothing_that_has_the_focus(open_page, screen):
    page = open_page(viewport=screen)
    ask(page)
    row(page, 1).get_by_role("link").first.click()
    row(page, 1).locator(".here .grades button").last.focus()
    for key in ["Tab"] * 4 + ["Shift+Tab"] * 3:
        page.keyboard.press(key)
        covered = page.evaluate(
            """() => {
              const at = document.activeElement.getBoundingClientRect();
              const above = document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2);
              return Boolean(above?.closest(".here")) && !document.activeElement.closest(".here");
            }"""
        )
        assert not covered
