"""The pages through Flask's test client: each behaviour one test."""

import re
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser

import pytest

from tests.fake_desk import NOTICE, FakeDesk
from tests.fake_records import jobs, tickets
from tests.forms import token_on
from tests.people import signed_in
from ticketing.history import Asking
from ticketing.limits import QUERY_TEXT
from ticketing.reasons import Reason
from ticketing.recommendations import Order, Outlook, Recommendations
from ticketing.settings import Settings
from ticketing.tickets import Filters, Grade, Query, Ticket
from ticketing.times import utc_now
from web.app import create_app
from web.context import current_address
from web.views.marks import with_meant

EXHAUST = {"subject": "Exhaust spread high", "description": "unit trips on start"}


def post(client, address, page="/", **fields):
    """Send a form as a browser does: with the token of the page it was on."""
    token = token_on(client, page)
    return client.post(address, data={"csrf_token": token, **fields})


def asked(client, **fields) -> str:
    """Ask, and return the address of the answer."""
    return post(client, "/", **(fields or EXHAUST)).location


def visible(page: str) -> str:
    """A page without what its buttons copy."""
    return re.sub('data-copy="[^"]*"', "", page)


class Buttons(HTMLParser):
    """The pressed grade buttons of a page; a row has each twice, to scan and to read."""

    def __init__(self, page: str):
        super().__init__()
        self.pressed = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if given.get("aria-pressed") == "true":
            self.pressed.append(given["value"])


# asking ------------------------------------------------------------------------


def test_asking_leads_to_an_address_of_its_own(client):
    answer = post(client, "/", **EXHAUST)
    assert answer.status_code == 303
    assert answer.location == f"/queries/{Query(*EXHAUST.values()).id}"


def test_a_colleague_without_the_session_sees_the_same_answer(client, desk):
    address = asked(client)
    colleague = create_app(desk).test_client()
    titles = re.findall(r'<h2 id="s\d+">.*?</h2>', client.get(address).text)
    assert titles == re.findall(r'<h2 id="s\d+">.*?</h2>', colleague.get(address).text)
    assert len(titles) == 10


def test_typed_line_ends_do_not_change_the_address(client):
    typed = asked(client, subject="a", description="one\r\ntwo\r\n")
    assert typed == f"/queries/{Query('a', 'one' + chr(10) + 'two').id}"


def test_a_blank_query_gets_the_form_back_with_a_sentence(client):
    answer = post(client, "/", subject="  ", description="\n")
    assert answer.status_code == 400
    assert "Say what is wrong: a subject, a description or both." in answer.text


def test_filters_travel_with_the_address_and_act(client):
    address = asked(client, **EXHAUST, product="SGT-300", created_since="2013-03-01", status="")
    assert address.endswith("?product=SGT-300&created_since=2013-03-01")
    page = client.get(address).text
    assert "GT-0112" in page and "GT-0109" in page
    assert "GT-0105" not in page  # SGT-300 as well, but of February 2013
    assert "GT-0101" not in page


def test_an_address_has_no_empty_filters(client):
    address = asked(client, **EXHAUST)
    cleaned = client.get(f"{address}?product=&status=closed&created_since=&order=newest")
    assert cleaned.status_code == 302
    assert cleaned.location == f"{address}?status=closed&order=newest"


def test_a_filter_that_is_none_is_named(client):
    answer = client.get(asked(client, **EXHAUST) + "?produkt=SGT-300")
    assert answer.status_code == 400
    assert "knows no filter &#39;produkt&#39;; it knows created_before" in answer.text


@pytest.mark.parametrize(
    "address",
    [
        "/queries/{}/markdown",
        "/queries/{}.csv",
        "/tickets/GT-0101",
        "/topics.csv",
        "/topics/17.csv",
    ],
)
def test_what_a_table_or_a_ticket_s_address_does_not_know_is_named_as_well(client, desk, address):
    address = address.format(desk.store.put_query(Query("Exhaust spread high")))
    assert client.get(f"{address}?product=SGT-700").status_code == 200
    answer = client.get(f"{address}?produkt=SGT-700")
    assert answer.status_code == 400 and "knows no filter &#39;produkt&#39;" in answer.text


@pytest.mark.parametrize(
    "address",
    [
        "/quality",
        "/models",
        "/schedule",
        "/jobs",
        "/unanswered",
        "/judging",
        "/quality.csv",
        "/audit",
    ],
)
def test_a_page_that_knows_no_argument_names_one_too(client, address):
    """It was left out in silence."""
    assert client.get(address).status_code == 200
    answer = client.get(f"{address}?weeks=4")
    assert answer.status_code == 400 and "knows no filter &#39;weeks&#39;; it knows" in answer.text


def test_a_product_that_no_ticket_has_is_named(client):
    page = client.get(asked(client, **EXHAUST) + "?product=SGT-301").text
    assert "No ticket has the product &#39;SGT-301&#39;; leave that filter out." in page


def shown(page):
    """(rank, ticket id) of the results in their order."""
    return re.findall(r'Rank </span>(\d+)<.*?href="#t-([^"]+)"', page, re.DOTALL)


def test_newest_first_shows_the_same_tickets_by_date_with_their_ranks(client, desk):
    address = asked(client, **EXHAUST)
    best = shown(client.get(address).text)
    page = client.get(f"{address}?order=newest").text
    newest = shown(page)
    assert newest != best and sorted(newest) == sorted(best)
    created = [desk.store.get_tickets([id])[id].created for _, id in newest]
    assert created == sorted(created, reverse=True)
    assert "each number is still the rank by match" in page
    assert [rank for rank, _ in best] == [str(rank) for rank in range(1, 11)]


def test_by_text_alone_the_page_its_files_and_a_tickets_page_leave_time_out(client):
    address = asked(client, **EXHAUST)
    with_time = client.get(address).text
    assert ">by text alone</a>" in with_time and "How recent" not in with_time
    assert "Time apart" in with_time
    page = client.get(f"{address}?order=text").text
    assert 'aria-current="true">by text alone' in page and "How recent a ticket is does not" in page
    assert "Time apart" not in page
    found = re.findall(r'href="(/tickets/GT-0101\?[^"]*order=text)"', page)
    ticket = found[0].replace("&amp;", "&")
    assert client.get(ticket).text != client.get(ticket.replace("order=text", "order=best")).text
    for file in (f"{address}/markdown", f"{address}.csv"):
        assert client.get(f"{file}?order=text").text != client.get(file).text


def test_by_text_alone_is_not_offered_where_time_never_counts(client, desk, monkeypatch):
    by_text = desk.recommend(Query(**EXHAUST), order=Order.TEXT)
    monkeypatch.setattr(desk, "recommend", lambda *_, **__: by_text)
    assert "by text alone" not in client.get(asked(client, **EXHAUST)).text


def test_tickets_that_the_query_mentions_are_linked(client, desk, monkeypatch):
    answer = replace(desk.recommend(Query(**EXHAUST)), mentioned=("GT-0106", "GT-0107"))
    monkeypatch.setattr(desk, "recommend", lambda *_, **__: answer)
    page = client.get(f"{asked(client, **EXHAUST)}?order=newest").text.replace("&amp;", "&")
    links = re.search(
        'Your query mentions <a href="([^"]+)">GT-0106</a>, <a[^>]+>GT-0107</a>.', page
    )
    assert client.get(links[1]).status_code == 200 and "order=newest" in links[1]


def test_the_order_is_kept_beside_filters_and_one_that_is_none_is_refused(client):
    address = asked(client, **EXHAUST, product="SGT-300")
    page = client.get(f"{address}&order=newest").text
    assert '<input type="hidden" name="order" value="newest">' in page
    assert 'aria-current="true">newest first' in page
    assert f'href="{address}"' in page.replace("&amp;", "&")  # best match, with the filters
    assert client.get(f"{address}&order=oldest").status_code == 400


def test_each_filter_that_is_set_is_listed_with_a_link_that_removes_it(client):
    address = asked(client, **EXHAUST, product="SGT-300", created_since="2010-01-01")
    page = client.get(f"{address}&order=newest").text.replace("&amp;", "&")
    alone = address.split("?")[0]
    listed = dict(re.findall(r'href="([^"]+)" title="Search without.*?</span>([^<]+)', page))
    assert {label.strip(): link for link, label in listed.items()} == {
        "Product: SGT-300": f"{alone}?created_since=2010-01-01&order=newest",
        "Created since: 2010-01-01": f"{alone}?product=SGT-300&order=newest",
    }
    assert f'<a href="{alone}?order=newest">Clear all</a>' in page
    assert "Clear all" not in client.get(alone).text


def test_only_tickets_with_a_solution_are_searched_if_a_box_is_checked(client, desk):
    desk.put_tickets([Ticket("GT-0900", **EXHAUST)])
    address = asked(client, **EXHAUST, has_solution="yes")
    assert address.endswith("?has_solution=yes")
    page = client.get(address).text
    assert 'name="has_solution" value="yes" checked' in page and "Has solution: yes" in page
    assert "GT-0900" not in page and "GT-0900" in client.get(address.split("?")[0]).text
    [asking] = list(desk.store.events(Asking))
    assert asking.filters == Filters(has_solution=True)
    assert f'href="{address}"' in client.get("/history").text


def test_tickets_with_a_solution_are_offered_where_most_shown_have_none(client, desk):
    said, offer = "No solution is recorded for", "Search only tickets with a solution"
    address = asked(client, **EXHAUST)
    assert said not in client.get(address).text  # GT-0108 alone has none
    bare = [replace(t, solution="") for t in desk.store.iter_tickets()]
    desk.put_tickets(bare)
    assert said not in client.get(address).text  # there is none at all
    desk.put_tickets([replace(bare[0], solution="Cleaned the burner.")])
    page = client.get(f"{address}?order=newest").text.replace("&amp;", "&")
    shown = page.count('<article id="t-')
    assert f"{said} {shown - 1} of these {shown}. " in page
    link = f"{address}?order=newest&has_solution=yes"
    assert f'<a href="{link}">{offer}</a>' in page
    found = client.get(link).text
    assert said not in found and "1 ticket searched within your filters" in found


def test_filters_that_leave_nothing_are_said_with_a_way_to_all_tickets(client):
    address = asked(client, **EXHAUST, created_since="2033-01-01")
    page = client.get(address).text
    assert '<h1 id="results">No ticket passes your filters</h1>' in page
    assert f'<a href="{address.split("?")[0]}">Search all tickets</a>' in page
    assert "Nothing matches well" not in page
    tried = post(client, "/preview", **EXHAUST, created_since="2033-01-01")
    assert "<h2>No ticket passes your filters</h2>" in tried.text


def test_a_query_without_a_word_is_not_said_to_have_searched_tickets(client, desk, monkeypatch):
    """Below "The query holds no word to compare" stood "949 tickets searched"."""
    address = asked(client, subject="🔥")
    nothing = Recommendations(Query("🔥"), "b1", note="The query holds no word.", searched=12)
    assert "12 tickets searched" in client.get(address).text
    monkeypatch.setattr(desk, "recommend", lambda *args, **kwargs: nothing)
    page = client.get(address).text
    assert "The query holds no word." in page and "searched" not in page


def test_lines_of_a_subject_stay_apart_in_its_field(client, desk):
    """The form said "Pumpleaks" for "Pump" and "leaks", and a ticket was its own answer."""
    assert 'value="Pump leaks"' in client.get("/?subject=Pump%0D%0Aleaks").text
    first = next(desk.store.iter_tickets())
    desk.put_tickets([replace(first, subject="Pump\nleaks")])
    asked_with = post(client, "/similar", ticket_id=first.id).location.rpartition("/")[2]
    assert 'value="Pump leaks"' in client.get(f"/?query={asked_with}").text
    described = first.description
    again = asked(client, subject="Pump leaks", description=described, filled=asked_with)
    assert again.endswith(asked_with)


def test_near_copies_are_counted_while_a_query_is_written(client, desk, monkeypatch):
    preview = desk.preview

    def folded(*args):
        answer = preview(*args)
        first, *like = answer.items
        return replace(answer, items=(replace(first, like=tuple(like)),))

    monkeypatch.setattr(desk, "preview", folded)
    assert "and 9 near-copies" in post(client, "/preview", **EXHAUST).text


def test_a_date_that_is_none_is_refused_by_name(client):
    answer = post(client, "/", **EXHAUST, created_before="2013-13-45")
    assert answer.status_code == 400
    assert "Created before: " in answer.text


def test_the_example_and_a_repeated_query_fill_the_form(client):
    assert "Exhaust temperature uneven, one burner" in client.get("/?example").text
    address = asked(client)
    again = client.get("/", query_string={"query": address.rsplit("/", 1)[1]}).text
    assert 'value="Exhaust spread high"' in again and "unit trips on start</textarea>" in again


def test_the_longest_query_gets_an_answer_and_a_longer_one_its_form_back(client):
    text = ("überhitzung " * QUERY_TEXT.most)[: QUERY_TEXT.most].strip()
    address = asked(client, subject="spread", description=text)
    assert client.get(address).status_code == 200
    refused = post(client, "/", subject="spread", description=text + "x" * QUERY_TEXT.most)
    assert refused.status_code == 400
    assert f"more than the {QUERY_TEXT.most:,} allowed; keep the lines that matter." in refused.text
    assert 'value="spread"' in refused.text


# what a result shows -------------------------------------------------------------


def test_a_result_shows_subject_description_solution_and_score(client):
    page = client.get(asked(client)).text
    first = page[page.index('id="s1"') : page.index('id="s2"')]
    plain = re.sub(r"</?mark>", "", first)
    ticket = tickets()[0]
    assert ticket.subject in plain and ticket.description in plain and ticket.solution in plain
    assert re.search(r"<strong>\d+\xa0%</strong> likely</p>", first)
    assert "of 5" not in visible(page)


def test_no_two_results_have_the_same_score(client, desk, monkeypatch):
    """They were rounded so far that seven of ten rows had the same."""
    recommend = desk.recommend

    def close(*args, **kwargs):
        answer = recommend(*args, **kwargs)
        near = [replace(one, chance=0.1 - one.rank / 999) for one in answer.items]
        return replace(answer, items=tuple(replace(one, chance_related=0) for one in near))

    monkeypatch.setattr(desk, "recommend", close)
    address = asked(client)
    said = re.findall(r"– ([\d.]+)\xa0% (?:likely|same)", client.get(f"{address}/markdown").text)
    chances = [*map(float, said)]
    assert len(set(chances)) == 10 and chances == sorted(chances, reverse=True)


def test_shared_words_are_marked_whatever_their_case(client):
    page = client.get(asked(client)).text
    assert "<mark>Exhaust</mark> temperature <mark>spread</mark> <mark>high</mark>" in page


def test_hostile_ticket_text_is_shown_and_not_run(client):
    page = client.get(asked(client, subject="exhaust log export script")).text
    page += client.get("/tickets/GT-0112").text
    assert "&lt;b&gt;bold&lt;/b&gt;" in page and "&lt;img src=x onerror=" in page
    assert "<b>" not in page and "<img" not in page
    assert re.findall(r"<script(?! type=\"module\")", page) == []


def test_hostile_query_text_is_shown_and_not_run(client):
    page = client.get(asked(client, subject='"><script>x</script>', description="</div><i>")).text
    assert "&lt;script&gt;x" in page and "<script>x" not in page and "</div><i>" not in page


def test_details_show_a_bar_a_channel(client):
    page = client.get(asked(client)).text
    tables = re.findall(r"<table.*?</table>", page, re.DOTALL)
    assert len(tables) == 10
    for table in tables:
        assert re.findall(r"th scope=\"row\">([^<]+)<", table)[0] == "Sentence"
        assert len(re.findall(r"than usual|as usual", table)) == 5


def test_a_long_description_is_folded_with_its_opening_in_sight(client):
    page = client.get(asked(client, subject="compressor efficiency")).text
    opening = re.search(r'<span class="opening">(.*?)</span>', page, re.DOTALL)[1]
    assert opening.endswith("…") and len(re.sub(r"</?mark>", "", opening)) <= 602
    assert "Week 24" in re.sub(r"</?mark>", "", page)


def test_a_tickets_page_shows_its_solution_before_its_description(client):
    page = client.get("/tickets/GT-0101").text
    assert page.index(">Solution</h2>") < page.index(">Description</h2>")


def test_a_long_subject_is_folded_with_its_opening_in_sight(client, desk):
    subject = "Exhaust spread high " * 30 + "at the end"
    address = asked(client, subject=subject)
    page = client.get(address).text
    folded = page[page.index('<div class="subject"') : page.index("</details>")]
    assert "Show all" in folded and f">{subject}</div>" in folded
    judged = client.get(f"/judging/round?queries={address[9:]}&bundles=fake-bundle").text
    assert f">{subject}</div>" in judged


def test_a_missing_solution_is_said(client):
    assert "No solution is recorded." in client.get("/tickets/GT-0108").text


def test_no_good_match_is_said_above_the_candidates(client):
    page = client.get(asked(client, subject="coffee machine")).text
    said = page.index("Nothing matches well")
    note = page.index("No past ticket is near enough to be trusted")
    assert "may help" not in page
    assert said < note < page.index('id="s1"')


def test_tickets_found_by_a_code_are_said_to_name_it_and_no_chance_is_given(
    client, desk, monkeypatch
):
    preview = desk.preview

    def by_code(*args, **kwargs):
        answer = preview(*args, **kwargs)
        reason = Reason(named=("E1105",), by_code=True)
        first, second = (replace(one, reason=reason) for one in answer.items[:2])
        return replace(answer, items=(first, second), outlook=Outlook.POSSIBLE, named=("E1105",))

    monkeypatch.setattr(desk, "preview", by_code)
    page = client.get(asked(client, subject="Exhaust E1105")).text
    typed = post(client, "/preview", subject="Exhaust E1105").text
    for shown in (page, typed):
        assert "Tickets that name “E1105”</" in shown and "% likely" not in shown
    assert page.count(">same code</p>") == 2
    assert " that one solves this" not in page


def test_a_ticket_asked_for_by_its_id_offers_those_like_it(client, desk, monkeypatch):
    preview = desk.preview

    def by_id(*args, **kwargs):
        answer = preview(*args, **kwargs)
        [first] = [replace(one, reason=Reason(by_id=True)) for one in answer.items[:1]]
        return replace(answer, items=(first,), outlook=Outlook.LIKELY)

    monkeypatch.setattr(desk, "preview", by_id)
    page = client.get(asked(client, subject="GT-0101")).text
    assert ">The ticket with this id</span>" in page and "Find similar tickets" in page
    assert (
        "searched" not in page
        and "The ticket with this id" in post(client, "/preview", subject="GT-0101").text
    )
    monkeypatch.undo()
    assert "Find similar tickets" not in client.get(asked(client)).text


def test_where_nothing_matches_well_no_figures_look_like_those_of_good_answers(client):
    address = asked(client, subject="coffee machine")
    pages = [client.get(address).text, client.get(f"/tickets/GT-0101?query={address[9:]}").text]
    pages.append(post(client, "/preview", subject="coffee machine").text)
    for page in pages:
        assert "GT-0101" in page
        assert not re.search(r"of 5|likely|rating|he chance that", visible(page))
    for known in (client.get(asked(client)).text, post(client, "/preview", **EXHAUST).text):
        assert "likely" in known
    known = client.get(f"/tickets/GT-0101?query={asked(client)[9:]}").text
    assert "The chance that it solves this is" in known
    assert client.get(f"/api{address}").json["items"][0]["chance"] > 0


def test_a_good_match_is_not_called_a_bad_one(client):
    page = client.get(asked(client)).text
    assert "Nothing matches well" not in page


@pytest.mark.parametrize(
    "address, entry",
    [
        ("/", "Ask"),
        ("/tickets/GT-0101", "Ask"),
        ("/api", "API"),
        ("/history", "History"),
        ("/unanswered", "History"),
        ("/judging", "Judging"),
        ("/judging/agreement", "Judging"),
        ("/topics", "Topics"),
        ("/topics/3", "Topics"),
        ("/quality", "Quality"),
        ("/models", "Jobs"),
        ("/schedule", "Jobs"),
        ("/people", "People"),
        ("/audit", "People"),
        ("/account", "local"),
    ],
)
def test_the_page_says_where_it_is(client, address, entry):
    page = client.get(address).text
    shown = re.findall(r"<nav aria-label=\"Pages\">.*?</nav>|<footer.*?</footer>", page, re.DOTALL)
    assert re.findall(r'aria-current="\w+">([^<]+)', "".join(shown)) == [entry]


def test_an_answer_and_a_question_that_is_refused_are_of_asking(client):
    for page in (client.get(asked(client)), post(client, "/", subject="")):
        assert 'aria-current="true">Ask' in page.text


def test_the_heading_is_about_all_tickets_and_says_their_chance(client, desk, monkeypatch):
    """Rows of 22 % stood below "Past tickets that likely help", as of each."""
    page = client.get(asked(client)).text
    head = page[page.index('id="results"') : page.index('class="rows')]
    chance = round(100 * client.get(f"/api{asked(client)}").json["chance"])
    assert "One of these likely helps" in head and f"{chance}\xa0% that one solves this" in head
    assert "one ticket likely helps (chance of an answer" in client.get("/history").text
    answer = desk.recommend(Query(**EXHAUST))
    monkeypatch.setattr(desk, "recommend", lambda *_, **__: replace(answer, items=answer.items[:1]))
    assert f"{chance}\xa0% that it solves this" in client.get(asked(client)).text


def test_a_ticket_without_a_solution_is_not_said_to_solve_anything(client, desk, monkeypatch):
    answer = desk.recommend(Query(**EXHAUST))
    bare = replace(answer.items[0].ticket, solution="")
    unsolved = replace(answer, items=[replace(answer.items[0], ticket=bare)])
    monkeypatch.setattr(desk, "recommend", lambda *_, **__: unsolved)
    head, row = client.get(asked(client)).text.split('class="rows')
    assert "that it is about the same problem, without a solution yet</p>" in head
    assert "same problem</p>" in row and "It has no solution yet. The chance that it is" in row
    assert "The chance that it solves this" not in row


def test_a_title_shows_a_subject_of_one_long_word_as_far_as_it_fits(client):
    address = asked(client, subject="see " + "x" * 300)
    title = re.search("<title>(.*?)</title>", client.get(address).text)
    assert title and re.match("see x{90,}… · ", title[1])
    back = client.get(f"/tickets/GT-0101?query={address[9:]}").text
    assert re.search("of “see x{70,}…”", back)


def test_the_notice_stands_on_every_page(client):
    addresses = ["/", asked(client), "/tickets/GT-0101", "/jobs", "/api", "/nowhere"]
    assert all(NOTICE in client.get(address).text for address in addresses)


# judging -------------------------------------------------------------------------


def test_a_judgment_is_recorded_with_what_was_seen_and_shown_pressed(client, desk):
    address = asked(client)
    fields = {"ticket_id": "GT-0101", "grade": "YES", "rank": "1", "score": "4.25"}
    answer = post(client, f"{address}/judgments", **fields, next=address + "#r1")
    assert (answer.status_code, answer.location) == (303, address + "#r1")
    (event,) = desk.store.judgments()
    assert (event.ticket_id, event.grade, event.judge) == ("GT-0101", Grade.YES, "local")
    assert (event.rank, event.score, event.bundle_id) == (1, 4.25, "fake-bundle")
    assert Buttons(client.get(address).text).pressed == ["YES"] * 2


def test_undo_takes_the_grade_back_with_another_event(client, desk):
    address = asked(client)
    post(client, f"{address}/judgments", ticket_id="GT-0101", grade="NO")
    post(client, f"{address}/judgments", ticket_id="GT-0101", grade="")
    assert [event.grade for event in desk.store.judgments()] == [Grade.NO, None]
    assert Buttons(client.get(address).text).pressed == []


def test_the_same_form_sent_twice_is_one_event(client, desk):
    address = asked(client)
    for _ in range(2):
        post(client, f"{address}/judgments", ticket_id="GT-0101", grade="REL")
    assert len(list(desk.store.judgments())) == 1


def test_an_unknown_grade_is_refused(client, desk):
    answer = post(client, f"{asked(client)}/judgments", ticket_id="GT-0101", grade="MAYBE")
    assert answer.status_code == 400 and "grade: " in answer.text
    assert not list(desk.store.judgments())


def test_judging_an_unknown_ticket_is_not_found(client):
    answer = post(client, f"{asked(client)}/judgments", ticket_id="GT-9", grade="YES")
    assert answer.status_code == 404 and "There is no ticket GT-9" in answer.text


def test_two_judges_do_not_see_each_others_grades(desk):
    ada, grace = (signed_in(desk, name) for name in ("Ada Lovelace", "Grace"))
    address = asked(ada)
    post(ada, f"{address}/judgments", ticket_id="GT-0101", grade="YES")
    assert [event.judge for event in desk.store.judgments()] == ["Ada Lovelace"]
    assert Buttons(ada.get(address).text).pressed == ["YES"] * 2
    assert Buttons(grace.get(address).text).pressed == []


@pytest.mark.parametrize("address", ["//evil.example", "https://evil.example", "/\\evil", "x", ""])
def test_a_form_never_leads_to_another_site(client, address):
    fields = {"ticket_id": "GT-0101", "grade": "YES", "next": address}
    assert post(client, f"{asked(client)}/judgments", **fields).location == "/"


# other pages -----------------------------------------------------------------------


def test_find_similar_asks_the_tickets_text_without_the_ticket_itself(client):
    address = post(client, "/similar", ticket_id="GT-0101").location
    by_program = client.post("/api/similar", json={"ticket_id": "GT-0101"}).json
    assert address == f"/queries/{by_program['query']['id']}"
    page = client.get(address).text
    assert "This is the text of ticket" in page and 'href="#t-GT-0106"' in page
    assert not re.search(r'href="#t-GT-0101"', page)


def test_a_form_filled_with_a_tickets_text_asks_without_the_ticket_until_a_word_changes(
    client, desk
):
    ticket = replace(tickets()[0], id="S", subject="Spread  high", description="One\n\ntwo  three")
    desk.store.put_tickets([ticket])
    found = post(client, "/similar", ticket_id="S").location
    form = client.get(f"/?query={found.removeprefix('/queries/')}").text
    filled = re.search(r'name="filled" value="([^"]+)"', form)[1]
    as_sent = {"subject": ticket.subject, "description": "One\r\n\r\ntwo  three", "filled": filled}
    assert post(client, "/", **as_sent, product="SGT-300").location == f"{found}?product=SGT-300"
    assert "/tickets/S" not in post(client, "/preview", **as_sent).text
    changed, typed = as_sent | {"description": "One two"}, Query(ticket.subject, "One two")
    assert post(client, "/", **changed).location == f"/queries/{typed.id}"
    assert "/tickets/S" in post(client, "/preview", **changed).text
    unknown = as_sent | {"filled": "0" * 16}
    assert "/tickets/S" in client.get(post(client, "/", **unknown).location).text


def test_a_link_of_another_program_fills_the_form(client, desk):
    """A ticket system can open the form filled for the ticket that somebody works on."""
    link = {"subject": " Spread <high> ", "description": "One\r\ntwo", "product": "SGT-300"}
    page = client.get("/", query_string=link).text
    assert 'name="subject" dir="auto" value="Spread &lt;high&gt;"' in page
    assert ">\nOne\ntwo</textarea>" in page
    assert '<option value="SGT-300" selected>' in page
    assert list(desk.store.events(Asking)) == list(desk.store.queries()) == []


def test_a_link_with_a_product_that_no_ticket_has_says_so(client):
    """The form had no such product, so that all tickets were searched without a word."""
    unknown = {"subject": "spread", "product": "Fridge"}
    form = client.get("/", query_string=unknown).text
    assert '<option value="Fridge" selected>Fridge</option>' in form
    answer = client.get(post(client, "/", description="", **unknown).location).text
    assert "Fridge" in answer and "/tickets/S" not in answer


def test_a_ticket_pasted_into_the_description_has_its_first_line_as_subject(client, desk):
    pasted = {"subject": "", "description": "Exhaust spread high\r\nunit trips on start"}
    query = Query("Exhaust spread high", "unit trips on start")
    assert post(client, "/", **pasted).location == f"/queries/{query.id}"
    by_program = {"description": "Exhaust spread high\nunit trips on start"}
    assert client.post("/api/recommend", json=by_program).json["query"]["id"] == query.id


def test_a_form_filled_with_a_query_asks_it_anew(client):
    form = client.get(asked(client).replace("/queries/", "/?query=")).text
    assert EXHAUST["subject"] in form and 'name="filled"' not in form


def test_a_ticket_id_with_odd_characters_has_a_page(client, desk):
    odd = replace(tickets()[0], id="AB/12 #ä?")  # of a time when spaces were taken
    desk.store.put_tickets([odd])
    link = re.search(r'class="ticket" href="(/tickets/AB[^"]+)"', client.get(asked(client)).text)
    assert client.get(link[1]).status_code == 200


def test_jobs_show_progress_rate_estimate_and_errors(client, tmp_path):
    page = client.get("/jobs").text
    assert "No worker is reporting" in page and "s left" not in page
    beat = utc_now()
    running = replace(jobs()[0], started=beat - timedelta(seconds=8), heartbeat=beat)
    desk = FakeDesk(Settings(home=tmp_path / "at work"), past_jobs=[running])
    page = create_app(desk).test_client().get("/jobs").text
    assert "320 of 949 tickets" in page and "40 a second" in page  # 320 in 8 seconds
    assert "about 16 s left</span>" in page  # 628 more at 40 a second
    assert "1 ticket set aside" in page and "longer than can be encoded" in page


def test_of_a_training_the_time_left_is_that_of_its_step(tmp_path):
    beat = utc_now()
    running = replace(jobs()[0], kind="training", started=beat - timedelta(seconds=8))
    running = replace(running, heartbeat=beat)
    desk = FakeDesk(Settings(home=tmp_path), past_jobs=[running])
    page = create_app(desk).test_client().get("/jobs").text
    assert "about 16 s left of this step</span>" in page


def test_a_promotion_shows_its_reason_and_no_progress(tmp_path):
    verdict = "Bundle b2 was not promoted: on 9 test queries a loss that chance hardly explains"
    promotion = replace(jobs()[1], kind="promotion", total=0, done=0, message=verdict)
    desk = FakeDesk(Settings(home=tmp_path), past_jobs=[promotion])
    page = create_app(desk).test_client().get("/jobs").text
    assert "Promotion" in page and verdict in page
    assert "tickets</span>" not in page and "percent done" not in page


def test_no_jobs_is_said(tmp_path):
    client = create_app(FakeDesk(Settings(home=tmp_path), past_jobs=[])).test_client()
    assert "No job has run yet." in client.get("/jobs").text


def test_healthz_names_the_serving_bundle(client):
    assert client.get("/healthz").json == {
        "status": "ok",
        "away": {},
        "bundle_id": "fake-bundle",
        "trouble": [],
    }


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/nowhere", "There is no page at this address."),
        ("/queries/0123", "There is no query at this address"),
        ("/tickets/GT-9", "There is no ticket GT-9"),
        ("/?query=0123", "There is no query at this address"),
    ],
)
def test_what_does_not_exist_is_a_friendly_sentence(client, address, sentence):
    answer = client.get(address)
    assert answer.status_code == 404
    assert sentence in answer.text and "Ask a question" in answer.text


def test_a_defect_is_a_friendly_sentence_without_its_details(client, desk, monkeypatch):
    address = asked(client)

    def broken(*_):
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(desk, "recommend", broken)
    answer = client.get(address)
    assert answer.status_code == 500
    assert "Something went wrong on our side" in answer.text
    assert "secret detail" not in answer.text


# while a query is written ------------------------------------------------------------


def test_a_preview_shows_tickets_and_remembers_nothing(client, desk):
    page = post(client, "/preview", **EXHAUST).text
    assert "<html" not in page and "<mark>Exhaust</mark> temperature" in page
    assert list(desk.store.queries()) == []


def test_a_preview_of_nothing_is_refused(client):
    assert post(client, "/preview", subject=" ").status_code == 400


def test_meant_words_replace_whole_words_only():
    assert with_meant("Vibraton (vibratons, Vibraton)", {"Vibraton": "vibration"}) == (
        "vibration (vibratons, vibration)"
    )


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Presure low: the presure falls", "pressure low: the pressure falls"),
        ("presure_sensor of the PresureValve", "pressure_sensor of the pressureValve"),
        ("28presure", "28pressure"),
    ],
)
def test_a_meant_word_is_replaced_however_it_is_written(text, meant):
    assert with_meant(text, {"Presure": "pressure"}) == meant


def test_a_filter_is_offered_as_it_is_stored(client, desk):
    """Without a value a browser sends what an option says, with single spaces."""
    desk.put_tickets([Ticket("T-1", "Pump", product="SGT  400")])
    assert '<option value="SGT  400">SGT  400</option>' in client.get("/").text


@pytest.mark.parametrize("address", ["/tickets/A%2541?x=%26", "/tickets/%C3%A9", "/tickets/a/b?"])
def test_a_page_comes_back_to_itself(client, address):
    """`A%41` in an address would be the ticket AA."""
    with client.application.test_request_context(address):
        assert current_address() == address.removesuffix("?")


def test_of_a_huge_ticket_the_page_shows_the_beginning_and_says_so(client, desk):
    desk.put_tickets([Ticket("T-huge", "Huge", "d" * 10**6, "s" * 10**6)])
    page = client.get("/tickets/T-huge").text
    assert len(page) < 100_000
    assert page.count("These are the first 20,000 of 1,000,000 characters") == 2


def test_a_query_of_separators_has_a_page(client):
    asked = {"subject": "x", "description": "\u001c" * 400 + "abc"}
    query_id = client.post("/api/recommend", json=asked).json["query"]["id"]
    assert client.get(f"/queries/{query_id}").status_code == 200
    assert query_id == Query("x", "abc").id
