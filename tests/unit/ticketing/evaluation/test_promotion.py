"""Which of two bundles is the better."""

import pytest

from tests.rankings import NO, NONE, ONE, REL, TWO, YES, Ranks, labels
from ticketing.evaluation import promotion
from ticketing.evaluation.promotion import Comparison, compare
from ticketing.tickets import Query


def test_the_bundle_that_finds_more_is_better(store):
    tests = labels(ONE, A=YES) + labels(TWO, B=YES) + labels(NONE, C=REL)
    good, poor = Ranks(store, "A", "B"), Ranks(store, "C", "A")
    better = compare(good, poor, tests)
    assert better.queries == 2
    assert better.new["Acc@10"] == 1 and better.other["Acc@10"] == 0.5
    assert better.new["MAP@10"] == pytest.approx(3 / 4)
    assert better.may_serve
    assert str(better) == (
        "on 2 test queries Acc@10 1.000 against 0.500, MAP@10 0.750 against 0.250"
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
    verdict = "that chance explains" if lost < 3 else "that chance hardly explains"
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
    assert better.other == pytest.approx(better.other | {"Acc@10": 1, "MAP@10": 1 / 2})
    assert better.may_serve
    assert compare(new, serving, judged[:1]).new["Acc@10"] == 0  # by links alone it ranks eleventh


def test_no_more_queries_are_asked_than_a_comparison_may_take(store, monkeypatch):
    monkeypatch.setattr(promotion, "MOST_QUERIES", 1)
    found = compare(Ranks(store, "A"), Ranks(store), labels(ONE, A=YES) + labels(TWO, B=YES))
    assert (found.queries, found.new["Acc@10"]) == (1, 1)  # that of the first id


def test_an_equal_bundle_may_serve(store):
    assert compare(Ranks(store, "A"), Ranks(store, "A"), labels(ONE, A=YES)).may_serve


def test_the_same_ranks_of_other_queries_are_no_loss(store):
    """1, 1/2, 1/3 and 1/4 in another order: their sums of floats differ in the last digit."""
    tests = [label for i, id in enumerate("ABCD") for label in labels(Query(f"q{i}"), **{id: YES})]
    found = compare(Ranks(store, *"ABCD"), Ranks(store, *"CBAD"), tests)
    assert sum(found.new.values()) < sum(found.other.values())
    assert not found.loses
    assert "loss" not in str(found)


def test_without_right_answers_nothing_is_known_and_nothing_forbids(store):
    nothing = compare(Ranks(store, "A"), Ranks(store), labels(ONE, A=REL))
    assert nothing == Comparison(0, {}, {})
    assert nothing.may_serve
    assert "nothing could be compared" in str(nothing)
