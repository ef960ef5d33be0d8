"""What browser tests do on an answer's page."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.fake_desk import FakeDesk
from ticketing.tickets import Grade

WIDE = {"width": 1440, "height": 900}
LAPTOP = {"width": 1280, "height": 720}
PHONE = {"width": 360, "height": 740}


def ask(page: Page, subject="Exhaust spread high", description="Unit trips on start") -> None:
    """Fill the form and send it."""
    page.goto("/")
    page.get_by_label("Subject").fill(subject)
    page.get_by_label("Description").fill(description)
    page.get_by_role("button", name="Find solutions").click()
    page.wait_for_url("**/queries/*")


def row(page: Page, rank: int) -> Locator:
    """The result at a rank."""
    return page.locator(".rows > li > .row").nth(rank - 1)


def graded(row: Locator, grade: str) -> Locator:
    """The button of the row's line that gives the grade, or undoes it if empty; where the ticket is
    read has the same."""
    return row.locator(f".line button[value='{grade}']")


def is_judged(row: Locator, grade: str) -> None:
    """The row shows the grade, none if empty, where it is scanned and where it is read."""
    pressed, others = (row.locator(f"[aria-pressed={said}]") for said in ("true", "false"))
    if grade:
        expect(pressed).to_have_count(2)
        for button in pressed.all():
            expect(button).to_have_attribute("value", grade)
        expect(row).to_have_class(re.compile(rf"\b{grade}\b"))
    else:
        expect(others).to_have_count(2 * len(Grade))  # a page that is not there yet has none
        expect(pressed).to_have_count(0)


def grades(desk: FakeDesk) -> list[Grade | None]:
    """All that was recorded."""
    return [event.grade for event in desk.store.judgments()]
