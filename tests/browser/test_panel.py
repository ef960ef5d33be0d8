"""The open ticket beside the list in a real Chromium: in sight, and nothing moves as it opens."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.asking import PHONE, ask, row

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
