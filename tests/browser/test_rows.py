"""Ten rows on one screen in a real Chromium: which is open, keys, and the same without script."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.browser.asking import PHONE, WIDE, ask, graded, grades, is_judged, row
from tests.fake_records import tickets
from ticketing.tickets import Grade

pytestmark = pytest.mark.browser


def bottom(page, rank: int) -> float:
    """Where a row ends, in pixels from the top of the page."""
    box = row(page, rank).bounding_box()
    return box["y"] + box["height"]


@pytest.mark.parametrize("subject", ["Exhaust spread high", "coffee machine"])
def test_ten_rows_fit_one_screen(open_page, subject):
    page = open_page(viewport=WIDE)
    ask(page, subject, "Unit trips on start" if subject != "coffee machine" else "")
    expect(page.locator(".rows > li")).to_have_count(10)
    assert bottom(page, 10) <= WIDE["height"]


def test_ten_rows_fit_two_screens_of_a_phone(open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    ask(page)
    assert bottom(page, 10) <= 2 * 844


@pytest.mark.parametrize("script", [True, False], ids=["script", "none"])
def test_the_address_keeps_the_open_row(open_page, script):
    page = open_page(viewport=WIDE, java_script_enabled=script)
    ask(page)
    expect(row(page, 1).locator(".detail")).to_be_visible()
    row(page, 3).get_by_role("link").first.click()
    expect(page).to_have_url(re.compile("#t-GT-"))
    for _ in range(2):
        expect(row(page, 3).locator(".detail")).to_be_visible()
        expect(page.locator(".detail:visible")).to_have_count(1)
        page.reload()


def test_on_a_phone_a_row_opens_and_closes_in_place(open_page):
    page = open_page(viewport=PHONE)
    ask(page)
    expect(page.locator(".detail:visible")).to_have_count(0)
    subject = row(page, 2).get_by_role("link").first
    subject.click()
    detail = row(page, 2).locator(".detail")
    expect(detail).to_be_visible()
    assert detail.bounding_box()["y"] < row(page, 3).bounding_box()["y"]
    subject.click()
    expect(detail).to_be_hidden()
    page.keyboard.press("Enter")
    expect(detail).to_be_visible()


def test_keys_walk_judge_open_and_close(open_page, desk):
    page = open_page(viewport=WIDE)
    ask(page)
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    expect(row(page, 2)).to_be_focused()
    expect(row(page, 2).locator(".detail")).to_be_visible()
    page.keyboard.press("n")
    is_judged(row(page, 2), "NO")
    page.keyboard.press("u")
    is_judged(row(page, 2), "")
    page.keyboard.press("Enter")
    expect(row(page, 2).locator(".detail")).to_be_focused()
    page.keyboard.press("Escape")
    expect(row(page, 2)).to_be_focused()
    expect(page.locator(".detail:visible")).to_have_count(0)
    page.keyboard.press("k")
    expect(row(page, 1)).to_be_focused()
    expect(row(page, 1).locator(".detail")).to_be_visible()
    expect(page.locator("#status")).to_contain_text("undone")
    assert grades(desk) in ([Grade.NO, None], [None])


def test_arrows_walk_at_once_where_nothing_need_scroll(open_page):
    page = open_page(viewport=WIDE)
    ask(page)
    page.keyboard.press("ArrowDown")
    expect(row(page, 1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(row(page, 2).locator(".detail")).to_be_visible()
    page.get_by_text("Filters").focus()
    page.keyboard.press("ArrowDown")
    expect(row(page, 2)).not_to_be_focused()


def test_on_a_phone_arrows_scroll(open_page):
    page = open_page(viewport=PHONE)
    ask(page)
    page.keyboard.press("ArrowDown")
    expect(page.locator("html")).not_to_have_js_property("scrollTop", 0)
    expect(page.locator(".row:focus")).to_have_count(0)


def test_keys_on_a_phone_walk_without_opening(open_page):
    page = open_page(viewport=PHONE)
    ask(page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(row(page, 2)).to_be_focused()
    expect(page.locator(".detail:visible")).to_have_count(0)
    page.keyboard.press("o")
    expect(row(page, 2).locator(".detail")).to_be_focused()


def test_help_is_a_dialog_and_keys_can_be_switched_off_for_good(open_page):
    page = open_page()
    ask(page)
    page.keyboard.press("?")
    help_ = page.get_by_role("dialog", name="Keys")
    expect(help_).to_be_visible()
    page.keyboard.press("Escape")
    expect(help_).to_be_hidden()
    page.get_by_role("button", name="Keys").click()
    page.get_by_label("Shortcuts are on").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    page.keyboard.press("j")
    expect(row(page, 1)).not_to_be_focused()


def test_space_closes_the_help_and_its_button_turns_shortcuts_on_again(open_page):
    page = open_page()
    ask(page)
    help_, enabled = page.get_by_role("dialog", name="Keys"), page.get_by_label("Shortcuts are on")
    page.keyboard.press("?")
    page.keyboard.press("Space")
    expect(help_).to_be_hidden()
    page.keyboard.press("?")
    expect(enabled).to_be_checked()
    enabled.uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("j")
    expect(row(page, 1)).not_to_be_focused()
    page.get_by_role("button", name="Keys").click()
    enabled.check()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keys").blur()
    page.keyboard.press("j")
    expect(row(page, 1)).to_be_focused()


def test_after_escape_the_list_is_as_wide_as_the_page_and_no_row_looks_open(open_page):
    page = open_page(viewport=WIDE)
    ask(page)
    background = "element => getComputedStyle(element).backgroundColor"
    second, rows = row(page, 2), page.locator(".rows")
    beside = rows.bounding_box()["width"]
    second.get_by_role("link").first.click()
    page.mouse.move(0, 0)
    assert second.locator(".line").evaluate(background) != "rgba(0, 0, 0, 0)"
    page.keyboard.press("Escape")
    expect(page.locator(".detail:visible")).to_have_count(0)
    assert second.locator(".line").evaluate(background) == "rgba(0, 0, 0, 0)"
    assert rows.bounding_box()["width"] > 1.8 * beside
    page.keyboard.press("j")
    expect(page.locator(".detail:visible")).to_have_count(1)
    assert rows.bounding_box()["width"] == beside


@pytest.mark.parametrize("script", [True, False], ids=["script", "none"])
def test_filters_open_below_and_leave_their_button_where_it_is(open_page, script):
    page = open_page(viewport=WIDE, java_script_enabled=script)
    ask(page)
    opens, panel = page.get_by_text("Filters", exact=True), page.get_by_role("form", name="Filters")
    expect(panel).to_be_hidden()
    at = opens.bounding_box()
    opens.click()
    expect(panel).to_be_visible()
    assert opens.bounding_box() == at
    asked = page.locator(".asked").bounding_box()
    assert panel.bounding_box()["width"] == asked["width"]
    assert panel.bounding_box()["y"] >= asked["y"] + asked["height"]
    page.get_by_label("Created since").fill("2012-05-01")
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("link", name="Search without the filter Created since: 2012-05-01").click()
    expect(page.get_by_text("Filters", exact=True)).to_be_visible()


def test_slash_goes_to_the_form_with_the_query(open_page):
    page = open_page()
    ask(page)
    page.keyboard.press("/")
    page.wait_for_url("**/?query=*")
    expect(page.get_by_label("Subject")).to_have_value("Exhaust spread high")
    expect(page.get_by_label("Subject")).to_be_focused()
    page.keyboard.type("Pump leaks")  # stood before the old query, without a space
    expect(page.get_by_label("Subject")).to_have_value("Pump leaks")
    page.locator("h1").click()
    page.keyboard.press("/")
    expect(page.get_by_label("Subject")).to_be_focused()


@pytest.mark.parametrize("of", ["answer", "ticket"])
def test_slash_keeps_the_filters(open_page, of):
    page = open_page()
    ask(page)
    page.goto(f"{page.url}?product=SGT-700&order=newest")
    if of == "ticket":
        row(page, 1).get_by_role("link", name="The ticket’s page").click()
        page.wait_for_url("**/tickets/**")
        page.wait_for_load_state()
    page.keyboard.press("/")
    page.wait_for_url("**/?query=*")
    expect(page.get_by_label("Product")).to_have_value("SGT-700")


def test_letters_typed_into_a_field_are_no_shortcuts(open_page, desk):
    page = open_page()
    ask(page)
    page.keyboard.press("/")
    page.wait_for_url("**/?query=*")
    page.get_by_label("Subject").fill("")
    page.get_by_label("Subject").press_sequentially("jyn/?")
    expect(page.get_by_label("Subject")).to_have_value("jyn/?")
    assert grades(desk) == []


def test_the_solution_is_copied_as_it_stands_or_with_its_source(open_page, address):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    ask(page)
    copied = "navigator.clipboard.readText()"
    row(page, 1).get_by_role("button", name="Copy the solution").click()
    expect(page.locator("#status")).to_have_text("The solution is copied.")
    assert page.evaluate(copied) == tickets()[0].solution
    row(page, 1).get_by_role("button", name="Copy with citation").click()
    expect(page.locator("#status")).to_have_text("The solution is copied with its source.")
    first, *_, source = page.evaluate(copied).strip().splitlines()
    assert first.startswith("> Burner 7 was partly blocked by coke.")
    name = "GT-0101: Exhaust temperature spread high, trip on start"
    assert source == f"— [{name}](<{address}/tickets/GT-0101>)"


@pytest.fixture
def folded(desk, monkeypatch):
    """The second and the third ticket are near-copies of the first."""
    recommend = desk.recommend

    def recommend_folded(*args, **kwargs):
        answer = recommend(*args, **kwargs)
        first, second, third, *rest = answer.items
        return replace(answer, items=(replace(first, like=(second, third)), *rest))

    monkeypatch.setattr(desk, "recommend", recommend_folded)


def test_near_copies_unfold_and_are_judged_without_script(open_page, desk, folded):
    page = open_page(viewport=WIDE, java_script_enabled=False)
    ask(page)
    page.get_by_text("and 2 near-copies").click()
    copy = page.locator(".like .row").nth(1)
    graded(copy, "REL").click()
    is_judged(copy, "REL")
    expect(copy.locator(".line")).to_be_visible()
    expect(copy.locator(".detail")).to_be_visible()
    expect(page.locator(".detail:visible")).to_have_count(1)


SPACED = """* { line-height: 1.5 !important; letter-spacing: .12em !important;
  word-spacing: .16em !important } p { margin-bottom: 2em !important }"""
"""What WCAG 1.4.12 lets a reader ask for."""


@pytest.mark.parametrize("style", [":root {}", SPACED], ids=["plain", "spaced"])
@pytest.mark.parametrize("width", [1440, 1280, 1000])
def test_near_copies_are_announced_beside_the_buttons(open_page, folded, width, style):
    page = open_page(viewport={"width": width, "height": 800}, bypass_csp=True)
    ask(page)
    page.add_style_tag(content=style)
    first, announced = row(page, 1), page.get_by_text("and 2 near-copies")
    for judged in (False, True):
        if judged:
            graded(first, "YES").click()
            is_judged(first, "YES")
        facts = first.locator(".facts").first
        for beside in [
            *facts.locator(":scope > *").all(),
            *first.locator(".judge button:visible").all(),
        ]:
            expect(beside).to_be_visible()
            assert not _overlap(announced.bounding_box(), beside.bounding_box())
        if width > 1000:  # it lies over the facts' line there
            assert facts.evaluate("e => e.scrollWidth <= e.clientWidth")


@pytest.mark.parametrize("width", [320, 1280])
def test_wide_text_cuts_nothing_of_a_row(open_page, desk, width):
    page = open_page(viewport={"width": width, "height": 800}, bypass_csp=True)
    ask(page)
    for judge in ("Ada", "Grace", "Margaret"):
        desk.judge(page.url.rsplit("/", 1)[1], "GT-0101", Grade.REL, judge)
    page.reload()
    page.add_style_tag(content=SPACED)
    expect(row(page, 1).locator(".facts").first).to_contain_text("Margaret: REL")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert [text for text in page.locator(".line").evaluate_all(CUT) if text] == []


CUT = """lines => lines.flatMap(line => [...line.querySelectorAll(":not(h2, h2 *, .gist, .sr)")]
  .filter(part => getComputedStyle(part).overflow !== "visible"
    && (part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight))
  .map(part => part.textContent))"""
"""What is cut of lines, but for the subject and the answer, which end in an ellipsis as the row is
closed."""


def _overlap(one, other) -> bool:
    """Whether two boxes have pixels in common."""
    across = one["x"] < other["x"] + other["width"] and other["x"] < one["x"] + one["width"]
    return (
        across and one["y"] < other["y"] + other["height"] and other["y"] < one["y"] + one["height"]
    )


@pytest.mark.parametrize("width", [320, 360, 390])
def test_undo_lies_within_its_row(open_page, width):
    page = open_page(viewport={"width": width, "height": 740})
    ask(page)
    graded(row(page, 1), "YES").click()
    undo, rows = (
        found.bounding_box() for found in (graded(row(page, 1), ""), page.locator(".rows"))
    )
    assert undo["x"] + undo["width"] <= rows["x"] + rows["width"] - 4


def test_near_copies_fold_and_each_is_judged(open_page, desk, folded):
    page = open_page(viewport=WIDE)
    ask(page)
    expect(page.locator(".rows > li")).to_have_count(8)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(row(page, 2)).to_be_focused()
    page.get_by_text("and 2 near-copies").click()
    copies = page.locator(".like .row")
    expect(copies).to_have_count(2)
    assert copies.first.bounding_box()["x"] > row(page, 1).bounding_box()["x"] + 10
    copies.nth(1).get_by_role("link").first.click()
    expect(copies.nth(1).locator(".detail")).to_be_visible()
    expect(page.locator(".detail:visible")).to_have_count(1)
    page.keyboard.press("r")
    is_judged(copies.nth(1), "REL")
    expect(page.locator("#status")).to_contain_text("is judged REL.")
    (event,) = desk.store.judgments()
    assert event.rank == 3
    page.reload()
    expect(copies.nth(1).locator(".detail")).to_be_visible()
    is_judged(copies.nth(1), "REL")


def test_a_long_description_asked_is_not_bold(open_page):
    page = open_page()
    ask(page, "Exhaust spread", "The unit trips on start. " * 40)
    asked = page.get_by_role("region", name="You asked")
    weight = "element => getComputedStyle(element).fontWeight"
    assert asked.locator(".opening").evaluate(weight) == "400"


def test_what_was_asked_in_arabic_stands_on_the_right(open_page):
    page = open_page(viewport=WIDE)
    ask(page, "عطل في المضخة", "المضخة لا تعمل منذ أمس")
    ends = [
        page.locator(f".query {part}").evaluate(
            """found => {
                const range = document.createRange();
                range.selectNodeContents(found);
                return range.getBoundingClientRect().right;
            }"""
        )
        for part in (".subject", ".text")
    ]
    assert abs(ends[0] - ends[1]) < 4


def test_without_script_everything_works(open_page, desk):
    page = open_page(viewport=WIDE, java_script_enabled=False)
    ask(page)
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)
    expect(row(page, 1).locator(".solution")).to_contain_text("partly blocked by coke")
    row(page, 1).locator(".details summary").click()
    expect(row(page, 1).locator("table")).to_be_visible()
    graded(row(page, 1), "YES").click()
    is_judged(row(page, 1), "YES")
    assert page.url.endswith("#t-GT-0101")
    graded(row(page, 1), "").click()
    is_judged(row(page, 1), "")
    assert grades(desk) == [Grade.YES, None]
    page.get_by_text("Filters").click()
    page.get_by_label("Product").select_option("SGT-700")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".rows > li")).to_have_count(3)
    row(page, 1).get_by_role("link", name="The ticket’s page").click()
    page.get_by_role("button", name="Find similar tickets").click()
    page.wait_for_url("**/queries/*")


@pytest.mark.parametrize("script", [True, False], ids=["script", "none"])
def test_the_form_filled_with_a_tickets_text_leaves_the_ticket_out(open_page, script):
    page = open_page(viewport=WIDE, java_script_enabled=script)
    page.goto("/tickets/GT-0101")
    page.get_by_role("button", name="Find similar tickets").click()
    page.wait_for_url("**/queries/*")
    found = page.url
    page.get_by_role("link", name="Change", exact=True).click()
    if script:
        expect(page.locator("#found li").first).to_be_visible()
        expect(page.locator("#found a[href^='/tickets/GT-0101']")).to_have_count(0)
    page.get_by_role("button", name="Find solutions").click()
    page.wait_for_url(found)
    expect(page.locator("#t-GT-0106")).to_have_count(1)
    expect(page.locator("#t-GT-0101")).to_have_count(0)


@pytest.mark.parametrize("script", [True, False], ids=["script", "none"])
def test_a_tickets_page_is_judged_and_leads_back_to_its_open_row(open_page, desk, script):
    page = open_page(viewport=WIDE, java_script_enabled=script)
    ask(page)
    row(page, 2).get_by_role("link").first.click()
    row(page, 2).get_by_role("link", name="The ticket’s page").click()
    expect(page.locator("h1 mark").first).to_be_visible()
    expect(page.locator(".asked-of")).to_contain_text("Both say")
    page.wait_for_load_state()  # a click before the script is there sends the plain form
    page.locator("button[value=YES]").click()
    expect(page.locator("button[value=YES]")).to_have_attribute("aria-pressed", "true")
    if script:
        expect(page.locator("#status")).to_contain_text("is judged YES.")
    page.get_by_role("link", name="Back to the results").click()
    expect(row(page, 2).locator(".detail")).to_be_visible()
    is_judged(row(page, 2), "YES")
    (event,) = desk.store.judgments()
    assert event.rank == 2


def test_a_ticket_without_a_query_is_not_judged(open_page):
    page = open_page()
    page.goto("/tickets/GT-0101")
    expect(page.locator(".judge")).to_have_count(0)
    expect(page.get_by_role("button", name="Find similar tickets")).to_be_visible()


def test_letters_typed_into_nothing_judge_nothing_until_a_row_is_opened(open_page, desk):
    page = open_page(viewport=WIDE)
    ask(page)
    expect(row(page, 1).locator(".detail")).to_be_visible()
    page.keyboard.type("burner")
    row(page, 2).get_by_role("link").first.click()
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("n")
    is_judged(row(page, 2), "NO")
    expect(page.locator("#status")).to_contain_text("NO")
    assert grades(desk) == [Grade.NO]


def test_a_key_that_is_held_judges_once(open_page, desk):
    page = open_page(viewport=WIDE)
    ask(page)
    page.keyboard.press("j")
    for _ in range(5):
        page.keyboard.down("n")
    page.keyboard.up("n")
    is_judged(row(page, 1), "NO")
    expect(page.locator("#status")).to_contain_text("NO")
    page.wait_for_timeout(200)
    assert grades(desk) == [Grade.NO]


def test_reading_rows_adds_no_page_to_go_back_to(open_page):
    page = open_page(viewport=WIDE)
    ask(page)
    for rank in (2, 3, 4):
        row(page, rank).get_by_role("link").first.click()
        expect(row(page, rank).locator(".detail")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Subject")).to_be_visible()


def test_a_copy_button_says_what_it_does_again(open_page):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.clock.install(time=0)
    ask(page)
    button = row(page, 1).get_by_role("button", name="Copy the solution")
    page.clock.pause_at(60_000)  # or a busy machine takes longer than the words stand there
    button.click()
    said = page.locator("#status")
    said.evaluate("said => (said.textContent = '')")
    row(page, 1).get_by_role("button", name="Copied the solution").click()
    expect(said).to_have_text("The solution is copied.")  # or its time has not begun yet
    page.clock.run_for(2000)
    expect(button).to_be_visible()


def test_what_the_browser_refuses_to_copy_is_selected_to_be_copied_by_hand(open_page):
    page = open_page()
    ask(page)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()) }")
    page.evaluate("() => { document.execCommand = () => false }")
    row(page, 1).get_by_role("button", name="Copy the solution").click()
    expect(page.locator("#status")).to_have_text("Press Ctrl+C.")
    expect(row(page, 1).get_by_role("button", name="Press Ctrl+C the solution")).to_be_visible()
    field = page.get_by_role("textbox", name="Press Ctrl+C")
    expect(field).to_be_focused()
    assert page.evaluate("getSelection().toString()") == tickets()[0].solution
    page.keyboard.press("Tab")
    expect(field).to_have_count(0)
    expect(row(page, 1).get_by_role("button", name="Copy the solution")).to_be_visible()
    page.evaluate("() => { document.execCommand = () => true }")
    row(page, 1).get_by_role("button", name="Copy the solution").click()
    expect(page.locator("#status")).to_have_text("The solution is copied.")


def test_an_answer_is_copied_as_markdown_by_a_button_and_is_a_page_without_script(open_page):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    ask(page)
    page.goto(f"{page.url}?product=SGT-700&order=newest")
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.locator("#status")).to_have_text("The answer is copied as Markdown.")
    copied = page.evaluate("navigator.clipboard.readText()")
    expect(page.get_by_role("link", name="Markdown")).to_be_hidden()
    plain = open_page(java_script_enabled=False)
    plain.goto(page.url)
    expect(plain.get_by_role("button", name="Copy as Markdown")).to_be_hidden()
    with plain.expect_response("**/markdown?*") as answered:
        plain.get_by_role("link", name="Markdown").click()
    assert answered.value.text() == copied


def test_where_no_row_is_open_the_key_c_copies_no_answer(open_page):
    page = open_page(permissions=["clipboard-read", "clipboard-write"], viewport=PHONE)
    ask(page)
    page.keyboard.press("c")
    expect(page.locator("#status")).to_have_text("The solution is copied with its source.")
