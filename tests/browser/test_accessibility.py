"""Every page under axe-core, in light, in dark and on a phone; and all of it without a mouse."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import ask, graded, row
from tests.conftest import missing
from tests.fake_desk import FakeDesk
from tests.fake_records import jobs
from ticketing.jobs import JobKind, JobState, LogLine
from ticketing.settings import Settings
from ticketing.times import utc_now
from web.app import create_app

pytestmark = pytest.mark.browser

SCREENS = {
    "light": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}


RUN = """async () => {
  const colours = ["color-contrast", "link-in-text-block"];
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const isWide = matchMedia("(min-width: 48rem)").matches;
  const rules = { "target-size": { enabled: true } };
  if (!isWide) for (const rule of colours) rules[rule] = { enabled: false };
  const only = { runOnly: { type: "rule", values: colours } };
  return (await axe.run(document, isDark ? only : { rules })).violations;
}"""
"""All of axe's rules that are on by default, and the one of WCAG 2.2. A dark page differs from the
light one in colours alone, so those of colours; a phone has the colours of a wide page, so all
others."""


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    path = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
    if not path.exists():
        missing("axe-core (npm ci --prefix tests/browser)")
    return path.read_text()


def violations(page: Page, axe: str) -> list[str]:
    """What axe finds on the page as it stands: rule, element and what to do, a line each.

    A page that a click led to can be read before its style sheets have come, and has no sizes
    of its own until then.
    """
    page.wait_for_load_state("load")
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(axe)
    found = page.evaluate(RUN)
    return [
        f"{page.url} {violation['id']}: {node['html'][:120]} {node['failureSummary']}"
        for violation in found
        for node in violation["nodes"]
    ]


@pytest.fixture
def addresses(tmp_path) -> list[str]:
    """Every page that an address without a name of something leads to, and one of each kind."""
    app = create_app(FakeDesk(Settings(home=tmp_path / "other")))
    plain = [
        rule.rule
        for rule in app.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and not rule.arguments
    ]
    client = app.test_client()
    pages = [path for path in plain if client.get(path).mimetype == "text/html"]
    return [*pages, "/?example", "/tickets/GT-0101", "/tickets/GT-0108", "/topics/17", "/nowhere"]


@pytest.fixture
def work(desk) -> list[str]:
    """Jobs in every state with all that a job may have, and models that did and do serve; gives
    addresses of some."""
    old, new = desk.save_bundle(30), desk.save_bundle(60)
    for served in (old, "fake-bundle"):
        desk.store.set_serving(served)
    log = tuple(
        LogLine(utc_now(), f"epoch {i} of 60: loss 2.963, quality 0.259") for i in range(60)
    )
    job = replace(jobs()[0], bundle_id=new, log=log, by="ada", message="compared on 9 test queries")
    broken = {"GT-0101": "description has 1,200,000 characters, more than the 1,000,000 allowed"}
    text = ["bundle d16357d66f26bdfe" + "  0.417" * 20]
    job = replace(job, errors=broken)
    for state in JobState:  # a bundle has one unfinished job
        bundle = new if state == JobState.FAILED else f"of-{state}"
        desk.store.put_job(replace(job, id=str(state), bundle_id=bundle, state=state))
    desk.store.put_job(replace(job, id="e", kind=JobKind.EVALUATION, result={"text": text}))
    desk.store.put_file("report/e/report.html", [b"<p>"])
    return [f"/jobs/{JobState.FAILED}", "/jobs/e", f"/models/compare?new={new}&old={old}"]


def test_axe_finds_nothing_on_any_page_and_none_is_too_wide(open_page, axe, addresses, work):
    page = open_page()
    found = []
    assert {"/", "/topics", "/jobs", "/api", "/models", "/schedule"} <= set(addresses)
    for path in [*addresses, *work]:
        page.goto(path)
        page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
        for screen in SCREENS.values():
            page.set_viewport_size(screen["viewport"])
            page.emulate_media(color_scheme=screen["color_scheme"])
            found += violations(page, axe)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert found == []


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing_on_an_answer_in_any_state(open_page, desk, axe, screen):
    page = open_page(**SCREENS[screen])
    page.goto("/")
    page.get_by_label("Subject").fill("exhaust spread")
    expect(page.locator("#found li").first).to_be_visible()
    found = violations(page, axe)
    ask(page)
    found += violations(page, axe)
    desk.judge(page.url.rsplit("/", 1)[1], "GT-0101", 1, "Grace")
    page.reload()
    for rank, grade in enumerate(("YES", "REL", "NO"), 1):
        graded(row(page, rank), grade).click()
    row(page, 1).get_by_role("link").first.click()
    row(page, 1).locator(".details summary").click()
    found += violations(page, axe)
    page.get_by_text("Filters").click()
    found += violations(page, axe)
    page.keyboard.press("?")
    found += violations(page, axe)
    page.keyboard.press("Escape")
    row(page, 1).get_by_role("link", name="The ticket’s page").click()
    page.wait_for_url("**/tickets/**")
    found += violations(page, axe)
    ask(page, "coffee machine", "It leaks. " * 60)
    page.locator(".query .fold summary").click()
    assert found + violations(page, axe) == []


def test_axe_waits_for_a_style_sheet_that_comes_late(open_page, axe):
    def late(route) -> None:
        page.wait_for_timeout(500)
        route.continue_()

    page = open_page(**SCREENS["phone"])
    page.route("**/page.css*", late)
    page.goto("/jobs", wait_until="commit")
    expect(page.get_by_role("link", name="Ask")).to_be_attached()
    assert violations(page, axe) == []


def focused(page: Page) -> str:
    """What has the focus: its name, its value or its text."""
    return page.evaluate(
        """() => {
          const { ariaLabel, name, value, textContent } = document.activeElement;
          return ariaLabel || (value && `${name}=${value}`) || name || textContent.trim();
        }"""
    )


def test_tab_walks_an_answer_in_reading_order_and_focus_is_seen(open_page):
    page = open_page(viewport={"width": 1440, "height": 900})
    ask(page, "Exhaust spread high", "")
    page.reload()
    walked, unseen = [], []
    for _ in range(40):
        page.keyboard.press("Tab")
        walked.append(focused(page))
        if page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none":
            unseen.append(walked[-1])
    assert walked[0] == "Skip to the content" and unseen == []
    rest = walked[walked.index("Exhaust temperature spread high, trip on start") :]
    assert rest[1:4] == ["grade=YES", "grade=REL", "grade=NO"]
    assert rest[4] == "All about GT-0101"
    assert "Cold spot in exhaust, burner nine" in rest


def test_a_question_is_asked_and_judged_by_keys_alone(open_page, desk):
    page = open_page()
    page.goto("/")
    expect(page.get_by_label("Subject")).to_be_focused()
    page.keyboard.type("Exhaust spread high")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/queries/*")
    page.keyboard.press("j")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert focused(page) == "grade=YES"
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_have_text("GT-0101 is judged YES.")
    assert len(list(desk.store.judgments())) == 1
