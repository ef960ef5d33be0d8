"""Proposed categories in a real Chromium: YES, NO and undo, on a phone as well."""

import pytest
from playwright.sync_api import expect

from tests.fake_desk import FakeDesk
from ticketing.classification.classifier import CategoryClassifier
from ticketing.classification.encoder import CategorySettings
from ticketing.classification.network import CategoryNetwork
from ticketing.classification.taxonomy import Taxonomy, Title
from ticketing.settings import Settings
from ticketing.tickets import ModelKind

pytestmark = pytest.mark.browser

LONG = "Exhaust-temperature-and-emissions-monitoring-of-all-gas-turbines-and-their-auxiliaries"


@pytest.fixture
def desk(tmp_path):
    """A desk that knows two categories; its model is not trained, but knows its own titles."""
    titles = Taxonomy([Title("exhaust spread high", LONG), Title("pump leaks", "Pump")])
    network = CategoryNetwork("abcdefghijklmnopqrstuvwxyz ", CategorySettings(buckets=64))
    encoder = network.trained()
    desk = FakeDesk(Settings(home=tmp_path))
    bundle_id = CategoryClassifier.index(encoder, titles, {}).save(desk.models)
    desk.store.set_serving(bundle_id, ModelKind.CATEGORIES)
    return desk


def ask(page) -> None:
    page.goto("/")
    page.get_by_label("Subject").fill("Exhaust spread high")
    page.get_by_role("button", name="Find solutions").click()
    page.wait_for_url("**/queries/*")


def said(desk) -> list[tuple[str, bool | None]]:
    return [(said.category, said.right) for said in desk.store.verdicts()]


def test_answers_are_shown_and_taken_back(open_page, desk):
    page = open_page()
    ask(page)
    page.goto(f"{page.url}?product=SGT-300")
    panel = page.get_by_role("region", name="Category")
    first = panel.get_by_role("listitem").first
    expect(first).to_contain_text(LONG[:60])
    for name in ("YES", "NO"):
        first.get_by_role("button", name=name).click()
        expect(first.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")
    first.get_by_role("button", name="Undo").click()
    expect(first.get_by_role("button", name="NO")).to_have_attribute("aria-pressed", "false")
    expect(first.get_by_role("button", name="Undo")).to_have_count(0)
    assert "product=SGT-300" in page.url
    expect(panel).to_be_in_viewport()
    assert said(desk) == [(LONG, True), (LONG, False), (LONG, None)]


def test_the_panel_fits_a_phone_and_works_without_script(open_page, desk):
    page = open_page(viewport={"width": 360, "height": 740}, java_script_enabled=False)
    ask(page)
    wide = page.get_by_role("region", name="Category").bounding_box()
    assert wide["x"] >= 0 and wide["x"] + wide["width"] <= 360
    page.get_by_role("region", name="Category").get_by_role("button", name="NO").last.click()
    assert said(desk) == [("Pump", False)]
