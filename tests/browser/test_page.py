"""All pages in a real Chromium: on a phone, with hostile text, in light and dark, with topics."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import PHONE, WIDE, ask, graded, is_judged, row
from tests.fake_records import tickets

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", ["/", "/jobs", "/api", "/tickets/GT-0112", "/nowhere"])
def test_a_phone_never_scrolls_sideways(open_page, path):
    page = open_page(viewport=PHONE)
    page.goto(path)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]


@pytest.mark.parametrize("width", [577, 640, 750, 900])
def test_no_word_of_the_navigation_is_broken(open_page, width):
    page = open_page(viewport={"width": width, "height": 500})
    page.goto("/")
    links = page.locator(".top .brand span, nav[aria-label=Pages] a").all()
    lines = [link.evaluate("e => e.getClientRects().length") for link in links]
    heights = {round(link.bounding_box()["height"]) for link in links[1:]}
    assert len(links) == 9 and set(lines) == {1} and len(heights) == 1
    assert max(heights) < 40 and links[0].bounding_box()["height"] < 40
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width


def test_an_answer_with_an_endless_word_fits_a_phone(open_page):
    page = open_page(viewport=PHONE)
    ask(page, "x" * 300 + " exhaust spread")
    row(page, 1).get_by_role("link").first.click()
    row(page, 1).locator(".details summary").click()
    expect(row(page, 1).locator("table")).to_be_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]


def test_hostile_ticket_text_does_not_run(open_page):
    page = open_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    ask(page, "exhaust log export script")
    expect(page.get_by_text("<b>bold</b>").last).to_be_attached()
    page.goto("/tickets/GT-0112")
    expect(page.locator("h1")).to_contain_text("<script>")


def test_paper_shows_no_button(open_page):
    """The button "Find similar tickets" was printed below a ticket."""
    page = open_page()
    for path in ("/tickets/GT-0112", "/", "/judging"):
        page.goto(path)
        expect(page.get_by_role("main").get_by_role("button").first).to_be_visible()
        page.emulate_media(media="print")
        assert not any(button.is_visible() for button in page.get_by_role("button").all())
        page.emulate_media(media="screen")


STARTS = """text => [...text.firstChild.data.matchAll(/[a-z]+/g)].map(({ index }) => {
  const range = document.createRange();
  range.setStart(text.firstChild, index);
  range.setEnd(text.firstChild, index + 1);
  return range.getBoundingClientRect().x;
})"""
"""Where each word of a text begins, in pixels."""


def test_a_ticket_keeps_its_indentation_and_its_columns(open_page, desk):
    desk.put_tickets(
        [replace(tickets()[0], description="limits\n    trip    high\n\tdelay " + "x" * 300)]
    )
    page = open_page(viewport=PHONE)
    page.goto("/tickets/GT-0101")
    outer, inner, column, tabbed, _ = page.locator(".text").last.evaluate(STARTS)
    assert inner > outer + 10 and column > inner + 40 and tabbed > outer + 10
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]


def contrast_of(page: Page) -> list[str]:
    """Text whose colour stands out less than 4.5 : 1 (WCAG AA) from what is behind it."""
    return page.evaluate(
        """() => {
          const rgba = (colour) => {
            const canvas = new OffscreenCanvas(1, 1).getContext("2d");
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            return [...canvas.getImageData(0, 0, 1, 1).data];
          };
          const light = ([r, g, b]) => {
            const [x, y, z] = [r, g, b].map((v) => v / 255)
              .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
            return 0.2126 * x + 0.7152 * y + 0.0722 * z;
          };
          const behind = (element) => {
            for (let at = element; at; at = at.parentElement) {
              const colour = rgba(getComputedStyle(at).backgroundColor);
              if (colour[3] === 255) return colour;
            }
            return [255, 255, 255, 255];
          };
          const low = [];
          for (const element of document.querySelectorAll("body *")) {
            const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
            if (!own || !element.checkVisibility()) continue;
            const [a, b] = [rgba(getComputedStyle(element).color), behind(element)].map(light);
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (ratio < 4.5) low.push(`${element.textContent.trim()}: ${ratio.toFixed(2)}`);
          }
          return low;
        }"""
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(open_page, scheme):
    page = open_page(color_scheme=scheme)
    ask(page)
    for rank, grade in enumerate(("YES", "REL", "NO"), 1):
        graded(row(page, rank), grade).click()
        is_judged(row(page, rank), grade)
    row(page, 1).locator(".details summary").click()
    low = contrast_of(page)
    for path in ("/", "/jobs", "/api", "/tickets/GT-0101"):
        page.goto(path)
        low += contrast_of(page)
    ask(page, "coffee machine", "")
    assert low + contrast_of(page) == []


def test_in_the_details_a_figure_stands_apart_from_its_bar(open_page):
    """The longest bar ended where its figure began."""
    page = open_page(viewport=WIDE)
    ask(page)
    row(page, 1).locator(".details > summary").click()
    table = row(page, 1).locator(".details table")
    expect(table.locator("caption")).to_contain_text("this ticket’s distance, of a random ticket’s")
    bars, figures = (
        table.locator(f"{part} >> nth=0").bounding_box() for part in (".bars svg", ".number")
    )
    assert figures["x"] - (bars["x"] + bars["width"]) > 6


def test_details_stay_within_their_row_on_a_phone(open_page):
    page = open_page(viewport=PHONE)
    ask(page)
    row(page, 1).locator("a.open").click()
    row(page, 1).locator(".details > summary").click()
    table = row(page, 1).locator(".details table")
    wide = "cells => cells.forEach(cell => (cell.textContent = '12.42 of 17.08'))"
    table.locator("td.number").evaluate_all(wide)
    edges = [part.bounding_box() for part in (table, row(page, 1).locator(".detail"))]
    assert edges[0]["x"] + edges[0]["width"] < edges[1]["x"] + edges[1]["width"]


@pytest.mark.parametrize("options", [{}, {"java_script_enabled": False}], ids=["script", "none"])
def test_topics_lead_to_their_tickets_and_back(open_page, options):
    page = open_page(**options)
    page.goto("/")
    page.get_by_role("link", name="Topics").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What the tickets are about")
    drawn = page.get_by_role("img", name="Share of tickets by month, July 2012 to August 2014")
    expect(drawn).to_have_count(3)
    bar = drawn.first.locator(".fill").bounding_box()
    assert bar["width"] > 1 and bar["height"] > 1
    page.get_by_role("link", name="exhaust · spread · burner").click()
    expect(page).to_have_url(re.compile("/topics/17$"))
    page.get_by_text("The same as a table").click()
    expect(page.get_by_role("row", name="May 2014 1 1 100 %")).to_be_visible()
    page.get_by_role("link", name="Cold spot in exhaust").click()
    expect(page).to_have_url(re.compile("/tickets/GT-0106$"))
    page.get_by_role("link", name="exhaust · spread · burner").click()
    expect(page).to_have_url(re.compile("/topics/17$"))


def test_topics_fit_a_phone(open_page):
    page = open_page(viewport=PHONE)
    for address in ("/topics", "/topics/17", "/topics/6"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_on_a_phone_nothing_is_said_of_bars_that_are_not_drawn_there(open_page):
    page = open_page(viewport=PHONE)
    page.goto("/topics")
    grey = page.get_by_text("Grey months have no tickets at all.")
    expect(grey).to_be_hidden()
    expect(page.get_by_text("Rising is the last twelve months against all.")).to_be_visible()
    page.goto("/topics/17")
    expect(grey).to_be_visible()
    page = open_page()
    page.goto("/topics")
    expect(page.get_by_text("Grey months have no tickets at all.")).to_be_visible()


def test_a_reason_leads_to_its_topic(open_page):
    page = open_page()
    ask(page)
    row(page, 1).locator(".topics a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("exhaust · spread · burner")
