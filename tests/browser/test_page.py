"""The page in a real Chromium: judging in place, undo, copying, keys, and life without script."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.fake_desk import FakeDesk
from tests.fake_records import tickets
from ticketing.tickets import Grade

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740}


def ask(page: Page, subject="Exhaust spread high", description="Unit trips on start") -> None:
    page.goto("/")
    page.get_by_label("Subject").fill(subject)
    page.get_by_label("Description").fill(description)
    page.get_by_role("button", name="Find solutions").click()
    page.wait_for_url("**/queries/*")


def grades(desk: FakeDesk) -> list[Grade | None]:
    return [event.grade for event in desk.store.judgments()]


def test_judging_and_undoing_happen_in_place(open_page, desk):
    page = open_page()
    ask(page)
    loads = []
    page.on("load", lambda: loads.append(1))
    card = page.locator("#r1")
    yes = card.get_by_role("button", name="YES")
    yes.click()
    expect(yes).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#status")).to_have_text("Result 1 is judged YES.")
    card.get_by_role("button", name="Undo").click()
    expect(yes).to_have_attribute("aria-pressed", "false")
    expect(card.get_by_role("button", name="Undo")).to_be_hidden()
    assert grades(desk) == [Grade.YES, None]
    first = next(desk.store.judgments())
    assert (first.ticket_id, first.rank) == ("GT-0101", 1)
    assert loads == []


def test_a_judgment_outlives_the_page(open_page):
    page = open_page()
    ask(page)
    page.locator("#r2").get_by_role("button", name="REL").click()
    expect(page.locator("#r2")).to_have_class("card REL")
    page.reload()
    pressed = page.locator("[aria-pressed=true]")
    expect(pressed).to_have_count(1)
    expect(pressed).to_have_attribute("value", "REL")


def test_a_refused_judgment_is_said_and_nothing_is_pressed(open_page, desk):
    page = open_page()
    ask(page)
    desk.delete_tickets(["GT-0101"])
    page.locator("#r1 [value=NO]").click()
    sentence = "There is no ticket GT-0101; it may have been deleted meanwhile."
    expect(page.locator("#status")).to_have_text(sentence)
    expect(page.locator("#r1 .problem-line")).to_have_text(sentence)
    expect(page.locator("[aria-pressed=true]")).to_have_count(0)


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
    page.locator("#r1 [value=YES]").click()
    expect(page.locator("#r1")).to_have_class("card YES")
    assert len(tries) == 2 and len(set(tries)) == 1
    assert grades(desk) == [Grade.YES]


def test_the_solution_is_copied_as_it_stands(open_page):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    ask(page)
    page.locator("#r1").get_by_role("button", name="Copy").click()
    expect(page.locator("#status")).to_have_text("The solution is copied.")
    assert page.evaluate("navigator.clipboard.readText()") == tickets()[0].solution


def test_keys_walk_and_judge(open_page, desk):
    page = open_page()
    ask(page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator("#r2")).to_be_focused()
    page.keyboard.press("n")
    expect(page.locator("#r2")).to_have_class("card NO")
    page.keyboard.press("u")
    expect(page.locator("#r2")).to_have_class("card")
    page.keyboard.press("k")
    expect(page.locator("#r1")).to_be_focused()
    assert grades(desk) == [Grade.NO, None]


def test_keys_can_be_switched_off_for_good(open_page):
    page = open_page()
    ask(page)
    page.get_by_text("Keyboard").click()
    page.get_by_label("Shortcuts are on").uncheck()
    page.reload()
    page.keyboard.press("j")
    expect(page.locator("#r1")).not_to_be_focused()


def test_letters_typed_into_a_field_are_no_shortcuts(open_page, desk):
    page = open_page()
    ask(page)
    page.locator("#name").press_sequentially("jyn")
    expect(page.locator("#name")).to_have_value("jynanonymous")
    assert grades(desk) == []


def test_without_script_everything_works(open_page, desk):
    page = open_page(java_script_enabled=False)
    ask(page)
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)
    expect(page.locator("#r1 .solution")).to_contain_text("partly blocked by coke")
    page.locator("#r1 .why summary").click()
    expect(page.locator("#r1 table")).to_be_visible()
    page.locator("#r1 [value=YES]").click()
    expect(page.locator("#r1 [value=YES]")).to_have_attribute("aria-pressed", "true")
    assert page.url.endswith("#r1")
    page.locator("#r1").get_by_role("button", name="Undo").click()
    expect(page.locator("[aria-pressed=true]")).to_have_count(0)
    assert grades(desk) == [Grade.YES, None]
    page.get_by_text("Filters").click()
    page.get_by_label("Product").select_option("SGT-700")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".card")).to_have_count(3)
    page.locator("#r1 a.ticket").click()
    page.get_by_role("button", name="Find similar tickets").click()
    page.wait_for_url("**/queries/*")


@pytest.mark.parametrize("path", ["/", "/jobs", "/api", "/tickets/GT-0112", "/nowhere"])
def test_a_phone_never_scrolls_sideways(open_page, path):
    page = open_page(viewport=PHONE)
    page.goto(path)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]


def test_an_answer_with_an_endless_word_fits_a_phone(open_page):
    page = open_page(viewport=PHONE)
    ask(page, "x" * 300 + " exhaust spread")
    page.locator("#r1 .why summary").click()
    expect(page.locator("#r1 table")).to_be_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]


def test_hostile_ticket_text_does_not_run(open_page):
    page = open_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    ask(page, "exhaust log export script")
    expect(page.get_by_text("<b>bold</b>").first).to_be_visible()
    page.goto("/tickets/GT-0112")
    expect(page.locator("h1")).to_contain_text("<script>")


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
        page.locator(f"#r{rank} [value={grade}]").click()
        expect(page.locator(f"#r{rank}")).to_have_class(f"card {grade}")
    page.locator("#r1 .why summary").click()
    low = contrast_of(page)
    for path in ("/", "/jobs", "/api", "/tickets/GT-0101"):
        page.goto(path)
        low += contrast_of(page)
    ask(page, "coffee machine", "")
    assert low + contrast_of(page) == []


@pytest.mark.parametrize("options", [{}, {"java_script_enabled": False}], ids=["script", "none"])
def test_topics_lead_to_their_tickets_and_back(open_page, options):
    page = open_page(viewport=PHONE, **options)
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


def test_a_reason_leads_to_its_topic(open_page):
    page = open_page()
    ask(page)
    page.locator("#r1 .why summary").click()
    page.locator("#r1 .topics a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("exhaust · spread · burner")
