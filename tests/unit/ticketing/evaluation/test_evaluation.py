"""Metrics of tiny runs by hand, TREC runs, and which of two bundles is the better."""

from datetime import datetime
from math import log2

import pytest

from ticketing.evaluation.metrics import MEASURES, evaluate, qrels_of, with_answers, write_run
from ticketing.evaluation.promotion import Comparison, compare
from ticketing.evaluation.runs import run_queries, run_words
from ticketing.stores.sqlite import SQLiteStore
from ticketing.tickets import Filters, Grade, Label, Query, Ticket

YES, REL, NO = Grade.YES, Grade.REL, Grade.NO
ONE, TWO, NONE = sorted((Query("one"), Query("two"), Query("three")), key=lambda query: query.id)


def labels(query, **grades):
    return [Label(query, id, grade) for id, grade in grades.items()]


def ranking(*ids):
    return [(id, float(place)) for place, id in enumerate(ids)]


def test_metrics_by_hand():
    """YES at ranks 2 and 3 and one missed; REL at rank 1."""
    judged = labels(ONE, A=YES, B=YES, C=YES, R=REL, N=NO)
    run = {ONE.id: ranking("R", "A", "B", *(f"x{i}" for i in range(9)), "C")}
    table = {name: values[0] for name, values in evaluate(judged, run).items()}
    assert (table["Acc@1"], table["Acc@5"], table["Acc@10"]) == (0, 1, 1)
    assert table["MRR@10"] == pytest.approx(1 / 2)
    assert table["MAP@10"] == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert table["Recall@100"] == pytest.approx(1)
    ideal = 2 / log2(2) + 2 / log2(3) + 2 / log2(4) + 1 / log2(5)
    assert table["nDCG@10"] == pytest.approx((1 / log2(2) + 2 / log2(3) + 2 / log2(4)) / ideal)
    assert table["judged@10"] == pytest.approx(3 / 10)


def test_a_judged_query_without_results_still_counts():
    judged = labels(ONE, A=YES) + labels(TWO, A=YES)
    for run in ({ONE.id: ranking("A")}, {ONE.id: ranking("A"), TWO.id: []}):
        table = evaluate(judged, run)
        assert set(table) == {*MEASURES, "judged@10"}
        assert table["Acc@10"] == [1, 0]
        assert all(len(values) == 2 for values in table.values())


def test_no_results_at_all_are_zeros():
    assert evaluate(labels(ONE, A=YES), {})["MAP@10"] == [0]


def test_queries_without_a_yes_cannot_be_answered_and_do_not_count():
    judged = labels(ONE, A=YES, B=NO) + labels(TWO, A=REL, B=NO)
    assert with_answers(judged) == judged[:2]
    assert len(evaluate(judged, {})["Acc@10"]) == 1
    assert qrels_of(judged) == {ONE.id: {"A": 2, "B": 0}, TWO.id: {"A": 1, "B": 0}}


def test_equal_distances_keep_the_order_of_the_run():
    run = {ONE.id: [("Z", 1.0), ("A", 1.0), ("M", 1.0)]}
    assert evaluate(labels(ONE, A=YES), run)["MRR@10"] == [pytest.approx(1 / 2)]
    assert evaluate(labels(ONE, Z=YES), run)["MRR@10"] == [1]


def test_a_trec_run_by_hand(tmp_path):
    linked = Query("linked", ticket_id="T-7")
    judged = labels(ONE, A=YES) + labels(linked, B=YES)
    run = {ONE.id: [("A", 0.5), ("B", 12.25)], linked.id: [("B", 1.0)]}
    write_run(tmp_path / "deep" / "run.txt", judged, run, "tag")
    assert (tmp_path / "deep" / "run.txt").read_text() == (
        f"{ONE.id} Q0 A 1 -0.500000 tag\n{ONE.id} Q0 B 2 -12.250000 tag\nT-7 Q0 B 1 -1.000000 tag\n"
    )


class Ranks:
    """Stands in for a Recommender: the same ranking for every query; remembers the filters."""

    def __init__(self, store, *ids):
        self.store, self.ids, self.asked = store, ids, []

    def rank(self, query, filters, limit):
        self.asked.append((query, filters))
        return ranking(*self.ids)[:limit]


@pytest.fixture
def store(tmp_path):
    store = SQLiteStore(tmp_path)
    store.put_tickets(
        [
            Ticket("A", "pump trip", created=datetime(2012, 1, 1)),
            Ticket("B", "pump leak", created=datetime(2013, 1, 1)),
            Ticket("C", "pump trip again", created=datetime(2014, 1, 1)),
            Ticket("D", "pump of no date"),
        ]
    )
    yield store
    store.close()


def test_a_query_that_is_a_ticket_is_matched_against_older_ones_only(store):
    recommender = Ranks(store, "A")
    queries = [Query("pump trip", ticket_id="B"), Query("pump"), Query("x", ticket_id="D")]
    run = run_queries(recommender, queries)
    assert set(run) == {query.id for query in queries}
    before = Filters(created_before=datetime(2013, 1, 1))
    assert [filters for _, filters in recommender.asked] == [before, Filters(), Filters()]


def test_words_are_ranked_best_first_without_the_ticket_itself_or_younger_ones(store):
    own, free = Query("pump trip", ticket_id="C"), Query("trip")
    run = run_words(store, [own, free])
    assert [id for id, _ in run[own.id]] == ["A", "B"]
    assert [id for id, _ in run[free.id]] == ["A", "C"]
    assert all(distance < 0 for found in run.values() for _, distance in found)


def test_the_bundle_that_finds_more_is_better(store):
    tests = labels(ONE, A=YES) + labels(TWO, B=YES) + labels(NONE, C=REL)
    good, poor = Ranks(store, "A", "B"), Ranks(store, "C", "A")
    better = compare(good, poor, tests)
    assert better.queries == 2
    assert better.new["Acc@10"] == 1 and better.serving["Acc@10"] == 0.5
    assert better.new["MAP@10"] == pytest.approx(3 / 4)
    assert better.may_serve
    assert str(better) == (
        "on 2 test queries Acc@10 1.000 (serving 0.500), MAP@10 0.750 (serving 0.250)"
    )


@pytest.mark.parametrize(("lost", "p"), [(1, 1), (2, 1 / 2), (3, 1 / 4), (4, 1 / 8)])
def test_a_loss_counts_once_chance_hardly_explains_it(store, lost, p):
    """Of n changed queries, all for the worse, two of the 2^n sign patterns are as extreme."""
    tests = [label for i in range(lost) for label in labels(Query(f"q{i}"), A=YES)]
    tests += labels(TWO, B=YES)  # found by both
    good, poor = Ranks(store, "A", "B"), Ranks(store, "C", "B")
    found = compare(poor, good, tests)
    assert found.p == pytest.approx(p, abs=0.02)
    assert found.may_serve == (lost < 3)
    verdict = "that chance explains" if lost < 3 else "beyond chance"
    assert str(found).endswith(f", a loss {verdict} (p = {found.p:.2f})")
    assert compare(good, poor, tests).may_serve


def test_gains_weigh_against_losses(store):
    """Three queries lose their first rank to the second, one is found that was not."""
    tests = [label for i in range(3) for label in labels(Query(f"q{i}"), A=YES)]
    new, serving = Ranks(store, "B", "A"), Ranks(store, "A")
    assert not compare(new, serving, tests).may_serve
    assert compare(new, serving, tests + labels(TWO, B=YES)).may_serve


def test_what_the_serving_bundle_did_not_show_is_not_held_against_a_new_one(store):
    """The new bundle puts the right ticket before the wrong one, behind ten that nobody saw."""
    judged = labels(ONE, A=YES, B=NO)
    new, serving = Ranks(store, *(f"x{i}" for i in range(10)), "A", "B"), Ranks(store, "B", "A")
    better = compare(new, serving, judged)
    assert better.new == pytest.approx(better.new | {"Acc@10": 1, "MAP@10": 1})
    assert better.serving == pytest.approx(better.serving | {"Acc@10": 1, "MAP@10": 1 / 2})
    assert better.may_serve
    assert compare(new, serving, judged[:1]).new["Acc@10"] == 0  # by links alone it ranks eleventh


def test_an_equal_bundle_may_serve(store):
    assert compare(Ranks(store, "A"), Ranks(store, "A"), labels(ONE, A=YES)).may_serve


def test_without_right_answers_nothing_is_known_and_nothing_forbids(store):
    nothing = compare(Ranks(store, "A"), Ranks(store), labels(ONE, A=REL))
    assert nothing == Comparison(0, {}, {})
    assert nothing.may_serve
    assert "nothing could be compared" in str(nothing)
