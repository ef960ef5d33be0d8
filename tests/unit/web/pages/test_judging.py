"""The judging workspace: rounds, notes, undo, progress, agreement; pages, tables and API."""

import csv
import re
from dataclasses import replace
from datetime import datetime, timedelta
from html import unescape

import pytest

from tests import fake_desk
from tests.forms import token_on
from ticketing.desk.bundle_list import BundleFacts
from ticketing.desk.workspace import Round, Sampling
from ticketing.errors import InputError, NotFound
from ticketing.tickets import Filters, Grade, Judgment, ModelKind, Query
from ticketing.times import utc_now

QUERIES = [Query("Exhaust spread high"), Query("Pump leaks oil"), Query("valve stuck")]


@pytest.fixture
def desk(desk):
    desk.store.put_queries(QUERIES)
    return desk


def begin(client, **fields) -> str:
    """The address of a new round."""
    answer = client.post("/judging", data={"csrf_token": token_on(client), **fields})
    assert answer.status_code == 303, answer.text
    return answer.location


def give(client, address, grade, note=""):
    """Judge what the round shows, as its form does; the (query, ticket) that it was."""
    page = client.get(address).text
    form = page[page.index('class="give"') :]
    shown = dict(re.findall(r'name="(query_id|ticket_id)" value="([^"]+)"', form))
    fields = {"csrf_token": token_on(client), **shown, "grade": grade, "note": note}
    assert client.post(address, data=fields).status_code == 303
    return shown["query_id"], shown["ticket_id"]


def skip(client, address, note="") -> str:
    """Press Skip on what the round shows; the address that it leads to."""
    page = client.get(address).text
    form = page[page.index('class="give"') :]
    fields = dict(re.findall(r'name="(query_id|ticket_id|csrf_token)" value="([^"]+)"', form))
    to = unescape(re.search(r'name="grade" value="skip" formaction="([^"]+)"', form)[1])
    answer = client.post(to, data={**fields, "note": note, "grade": "skip"})
    assert answer.status_code == 303, answer.text
    return answer.location


def test_a_round_goes_through_every_unjudged_ticket_once(client, desk):
    desk.judge(QUERIES[0].id, "GT-0101", Grade.YES, "local")
    address = begin(client, by="random", size="2")
    page = client.get(address).text
    total = int(re.search(r"of (\d+) tickets judged, of 2 queries", page)[1])
    seen = set()
    while "The round is done" not in client.get(address).text:
        pair = give(client, address, "NO", "looked")
        assert pair not in seen
        seen.add(pair)
    assert len(seen) in (total, total - 1) and (QUERIES[0].id, "GT-0101") not in seen
    notes = [judgment.note for judgment in desk.store.judgments()]
    assert notes.count("looked") == len(seen)


def test_rank_and_score_are_neither_shown_nor_kept_and_the_order_is_no_ranking(client, desk):
    address = begin(client, by="random", size="3")
    page = client.get(address).text
    assert "The order is shuffled; rank and score are not shown" in page
    give(client, address, "YES")
    assert "The order is shuffled" not in client.get(address).text  # it was read with the first
    [judgment] = desk.store.judgments()
    assert (judgment.rank, judgment.score, judgment.bundle_id) == (None, None, "fake-bundle")
    orders = [
        [pair.ticket_id for pair in desk.pairs(Round((QUERIES[0].id,), ("fake-bundle",), seed), "")]
        for seed in range(4)
    ]
    ranked = [item.ticket.id for item in desk.recommend(QUERIES[0]).items]
    assert all(sorted(order) == sorted(ranked) for order in orders)
    assert len({tuple(order) for order in orders}) == 4 and ranked not in orders


def test_a_grade_that_was_given_before_a_round_is_none_of_it(client, desk):
    """Its Undo took such a grade back, and the explanation was missing."""
    begun = utc_now()
    address = begin(client, by="random", size="1")
    [query] = re.search("queries=([^&]+)", address)[1].split(",")
    shown = desk.recommend(desk.store.get_query(query)).items
    older, newer = (item.ticket.id for item in shown[:2])
    said = Judgment("e1", desk.store.get_query(query), older, Grade.NO, "local", begun)
    desk.store.add_judgments([replace(said, time=begun - timedelta(seconds=2))])
    page = client.get(address).text
    assert "1 of 10 tickets judged" in page and "The order is shuffled" in page
    assert "Undo" not in page
    desk.judge(query, newer, Grade.YES, "local")
    page = client.get(address).text
    assert f"{newer}</a> YES." in page and "The order is shuffled" not in page
    assert "Undo" in client.get(re.sub("&begun=[^&]+", "", address)).text


def test_the_last_judgment_can_be_undone_and_a_ticket_skipped(client, desk):
    address = begin(client, by="random", size="1")
    first = give(client, address, "YES")
    page = client.get(address).text
    assert "1 of 10 tickets judged" in page and f"{first[1]}</a> YES." in page
    fields = {"csrf_token": token_on(client), "query_id": first[0], "ticket_id": first[1]}
    client.post(address, data={**fields, "grade": ""})
    page = client.get(address).text
    assert "0 of 10 tickets judged" in page
    assert give(client, skip(client, address), "NO") != first


def test_a_ticket_that_was_skipped_stays_skipped_when_another_one_is_graded(client, desk):
    address, seen = begin(client, by="random", size="1"), []
    for _ in range(3):
        page = client.get(address).text
        form = page[page.index('class="give"') :]
        seen.append(re.search(r'name="ticket_id" value="([^"]+)"', form)[1])
        if len(seen) == 1:
            address = skip(client, address)
            continue
        shown = dict(re.findall(r'name="(query_id|ticket_id)" value="([^"]+)"', form))
        action = unescape(re.findall(r'action="([^"]+)" class="give"', page)[0])
        fields = {"csrf_token": token_on(client), **shown, "grade": "NO"}
        address = client.post(action, data=fields).location
    assert len(set(seen)) == 3


def test_a_note_of_a_ticket_that_is_skipped_is_there_when_it_comes_again(client, desk):
    """Skip dropped what was typed without a word."""
    address = begin(client, by="random", size="1")
    assert 'name="note" value=""' in client.get(skip(client, address, "ask Klaus")).text
    page = client.get(address).text
    assert 'name="note" value="ask Klaus"' in page and "0 of 10 tickets judged" in page
    assert desk.grades(QUERIES[0].id, "local") == {}
    skip(client, address, "ask Klaus")
    assert [event.note for event in desk.store.judgments()] == ["ask Klaus"]  # said once
    query, ticket = give(client, address, "NO", "Klaus says no")
    assert [event.grade for event in desk.store.judgments()] == [None, Grade.NO]
    assert desk.last_note(query, ticket, "local") == "Klaus says no"


def test_to_skip_leaves_the_grade_that_was_given_in_another_window(client, desk):
    address = begin(client, by="random", size="1")
    left = client.get(address).text[client.get(address).text.index('class="give"') :]
    query, ticket = give(client, address, "YES", "fits")
    fields = dict(re.findall(r'name="(query_id|ticket_id|csrf_token)" value="([^"]+)"', left))
    client.post(address, data={**fields, "note": "or not", "grade": "skip"})
    assert desk.grades(query, "local") == {ticket: Grade.YES}
    assert desk.last_note(query, ticket, "local") == "or not"


def test_two_windows_of_a_round_never_replace_each_other_in_silence(client, desk):
    address = begin(client, by="random", size="1")
    shown = client.get(address).text  # in the other window
    query, ticket = give(client, address, "YES")
    left = dict(re.findall(r'name="(\w+)" value="([^"]*)"', shown[shown.index('class="give"') :]))
    said = client.post(address, data={**left, "grade": "NO"}, follow_redirects=True).text
    assert f"{ticket} was judged YES in another window since this page was loaded" in said
    before = client.get(address).text
    client.post(address, data={**left, "seen": "NO", "grade": "REL"})
    last = before[before.index('class="last"') : before.index('class="versus"')]
    undone = dict(re.findall(r'name="(\w+)" value="([^"]*)"', last))
    said = client.post(address, data=undone, follow_redirects=True).text
    assert f"{ticket} was judged REL in another window since this page was loaded" in said
    assert desk.grades(query, "local") == {}


def test_uncertain_queries_are_those_nearest_to_one_half(desk):
    chosen = desk.choose_round(Sampling.UNCERTAIN, "ann", 2, 1)
    chances = {query.id: desk.recommend(query).chance for query in QUERIES}
    nearest = sorted(chances, key=lambda id: abs(chances[id] - 0.5))
    assert set(chosen.queries) == set(nearest[:2])


def test_a_query_that_is_nothing_but_a_tickets_id_is_not_judged_in_rounds(desk):
    by_id, more = Query(" gt-0103 "), Query("GT-0103", "leaks oil again")
    desk.store.put_queries([by_id, more])
    for sampling in (Sampling.RANDOM, Sampling.UNCERTAIN):
        chosen = desk.choose_round(sampling, "ann", 9, 1).queries
        assert set(chosen) == {query.id for query in (*QUERIES, more)}


def test_a_query_of_numbers_and_codes_alone_is_not_judged_in_rounds(desk):
    """A round showed ten tickets for it that its answer never shows."""
    in_words = Query("ORA-7 after restart")
    desk.store.put_queries([Query("GT-9999"), Query("error 1603"), in_words])
    for sampling in (Sampling.RANDOM, Sampling.UNCERTAIN):
        chosen = desk.choose_round(sampling, "ann", 9, 1).queries
        assert set(chosen) == {query.id for query in (*QUERIES, in_words)}


def test_a_query_without_any_word_is_not_judged_in_rounds(desk):
    """A round showed ten tickets for it, chosen by nothing, as near as all others."""
    desk.store.put_queries([Query("\N{FIRE}\N{FIRE}"), Query("???", "!")])
    for sampling in (Sampling.RANDOM, Sampling.UNCERTAIN):
        chosen = desk.choose_round(sampling, "ann", 9, 1).queries
        assert set(chosen) == {query.id for query in QUERIES}


@pytest.mark.parametrize("asked", [True, False], ids=["remembered", "not yet asked"])
def test_of_uncertain_queries_those_that_nothing_matches_well_come_last(desk, monkeypatch, asked):
    monkeypatch.setattr(fake_desk, "LIKELY", 0.5)
    sure = Query("Exhaust temperature spread high", "unit trips on start, burner nozzle cold")
    desk.store.put_query(sure)
    queries = list(desk.store.queries())
    answers = {query.id: desk.preview(query) for query in queries}
    hopeless = [found.chance for found in answers.values() if found.outlook == "nothing"]
    assert 0.5 - max(hopeless) < answers[sure.id].chance - 0.5
    for query in queries if asked else ():
        desk.ask(query, Filters(), "ann")
    chosen = desk.choose_round(Sampling.UNCERTAIN, "ann", 9, 1).queries
    said = [answers[id].outlook for id in chosen]
    assert said == sorted(said) and len(chosen) == len(queries)


def test_different_queries_are_judged_under_both_bundles(desk, monkeypatch):
    both = {"fake-bundle": ("GT-0101", "GT-0102"), "other": ("GT-0101", "GT-0103")}

    def best(query, bundle):
        return both["fake-bundle"] if query == QUERIES[1] else both[bundle]

    monkeypatch.setattr(desk, "best_of", best)
    chosen = desk.choose_round(Sampling.DIFFERENT, "ann", 5, 1, "other")
    assert chosen.bundles == ("fake-bundle", "other")
    assert set(chosen.queries) == {QUERIES[0].id, QUERIES[2].id}
    assert {pair.ticket_id for pair in desk.pairs(chosen, "ann")} == {
        "GT-0101",
        "GT-0102",
        "GT-0103",
    }
    with pytest.raises(InputError, match="Name the bundle"):
        desk.choose_round(Sampling.DIFFERENT, "ann", 5, 1)


def test_only_models_that_can_answer_are_offered_to_differ_from(client, desk, monkeypatch):
    assert 'value="different"' not in client.get("/judging").text

    def facts(id, kind=ModelKind.RANKING, serves=False, encoded=9):
        trained = datetime(2013, 5, 3, 9)
        return BundleFacts(id, kind, trained, "", serves, False, encoded, "")

    models = [
        facts("fake-bundle", serves=True),
        facts("a" * 16),
        facts("of-an-earlier-version", kind=None),
        facts("of-categories", kind=ModelKind.CATEGORIES),
        facts("never-encoded", encoded=0),
    ]
    monkeypatch.setattr(desk, "bundle_list", lambda: models)
    page = client.get("/judging").text
    assert re.findall(r"<option.*</option>", page) == [
        f'<option value="{"a" * 16}">{"a" * 12}, trained 3 May 2013</option>'
    ]


def test_where_nothing_is_left_it_says_so(client, desk):
    for pair in desk.pairs(Round(tuple(q.id for q in QUERIES), ("fake-bundle",)), "local"):
        desk.judge(pair.query.id, pair.ticket_id, Grade.NO, "local")
    answer = client.post("/judging", data={"csrf_token": token_on(client), "by": "random"})
    assert answer.status_code == 400 and "none is left to judge that way" in answer.text
    assert desk.choose_round(Sampling.RANDOM, "bob", 9, 1).queries


def test_a_round_of_an_unknown_query_is_refused(client, desk):
    with pytest.raises(NotFound, match="choose a new round"):
        desk.pairs(Round(("nope",), ("fake-bundle",)), "ann")
    assert client.get("/judging/round?queries=nope&bundles=fake-bundle").status_code == 404
    assert client.get("/judging/round").status_code == 400


def test_a_round_as_table_and_by_the_api(client, desk):
    wanted = {"by": "random", "size": 1, "seed": 7}
    round_ = client.post("/api/rounds", json=wanted).json
    assert len(round_["pairs"]) == 10 and round_["pairs"][0]["judged"] is None
    pair = {"query_id": round_["queries"][0], "ticket_id": round_["pairs"][3]["ticket_id"]}
    client.post("/api/judgments", json={**pair, "grade": "REL", "note": "=half"})
    address = f"queries={round_['queries'][0]}&bundles={round_['bundles'][0]}&seed=7"
    again = client.get(f"/api/rounds?{address}").json
    assert [x["ticket_id"] for x in again["pairs"]] == [x["ticket_id"] for x in round_["pairs"]]
    assert (again["pairs"][3]["judged"]["grade"], again["pairs"][3]["judged"]["note"]) == (
        "REL",
        "=half",
    )
    rows = list(csv.DictReader(client.get(f"/judging/round.csv?{address}").text.splitlines()))
    assert (rows[3]["grade"], rows[3]["note"]) == ("REL", "'=half")


def test_agreement_is_cohens_kappa_with_the_disagreements(client, desk):
    given = {
        "ann": [Grade.YES, Grade.YES, Grade.NO, Grade.NO, Grade.REL],
        "bob": [Grade.YES, Grade.NO, Grade.NO, Grade.NO, Grade.NO],
    }
    for judge, grades in given.items():
        for i, grade in enumerate(grades):
            desk.judge(QUERIES[0].id, f"GT-010{i + 1}", grade, judge, note=f"{judge} {i}")
    desk.judge(QUERIES[1].id, "GT-0101", Grade.YES, "ann")
    [found] = client.get("/api/agreement").json
    assert (found["judges"], found["both"], found["same"]) == (["ann", "bob"], 5, 3)
    # observed .6; by chance .4 * .2 (YES) + .4 * .8 (NO) + .2 * 0 (REL) = .4
    assert found["kappa"] == pytest.approx((0.6 - 0.4) / (1 - 0.4))
    assert [item["ticket_id"] for item in found["disagreements"]] == ["GT-0102", "GT-0105"]
    page = client.get("/judging/agreement").text
    assert "ann and bob differ" in page and ">0.33<" in page and "bob 1" in page
    rows = list(csv.DictReader(client.get("/judging/agreement.csv").text.splitlines()))
    assert (rows[0]["grade"], rows[0]["other_grade"]) == ("YES", "NO")


def test_two_judges_with_one_grade_have_no_kappa(client, desk):
    for judge in ("ann", "bob"):
        desk.judge(QUERIES[0].id, "GT-0101", Grade.YES, judge)
    [found] = client.get("/api/agreement").json
    assert (found["kappa"], found["same"]) == (None, 1)
    assert "one grade only" in client.get("/judging/agreement").text


def test_the_queries_that_a_ticket_solved(client, desk):
    for query, grade in zip(QUERIES, (Grade.YES, Grade.REL, Grade.YES), strict=True):
        desk.judge(query.id, "GT-0101", grade, "ann")
    desk.judge(QUERIES[0].id, "GT-0101", None, "ann")
    [found] = client.get("/api/solved/GT-0101").json
    assert (found["query"]["subject"], found["judge"]) == ("valve stuck", "ann")
    assert client.get("/api/solved/nope").status_code == 404
    page = client.get("/tickets/GT-0101").text
    assert "What it solved" in page and "valve stuck" in page and "Pump leaks oil" not in page


def test_a_form_of_a_round_without_a_grade_is_no_undo(client, desk):
    address = begin(client, queries="1")
    page = client.get(address).text
    form = page[page.index('class="give"') :]
    shown = dict(re.findall(r'name="(query_id|ticket_id)" value="([^"]+)"', form))
    answer = client.post(address, data={"csrf_token": token_on(client), **shown, "note": "why"})
    assert answer.status_code == 400 and "No grade was given" in answer.text
    assert list(desk.store.judgments()) == []
