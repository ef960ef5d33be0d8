"""Intervals, paired tests, correlations and success rates, by hand and against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, permutation_test, rankdata

from ticketing.evaluation.relatedness import (
    NO_PAIR,
    NOTHING_TO_FIT,
    ONE_DISTANCE,
    ONE_GRADE,
    ONE_SCORE,
    relatedness,
)
from ticketing.evaluation.significance import (
    mean_intervals,
    paired_p,
    percentiles,
    query_weights,
    weighted_pearson,
    weighted_ranks,
)
from ticketing.evaluation.success import Matched, Success, count_matches, success_rates
from ticketing.tickets import Grade, Label, Query

YES, REL, NO = Grade.YES, Grade.REL, Grade.NO

# intervals and paired tests ------------------------------------------------------


def test_two_values_resample_to_either_or_both():
    """Means of 0, 1: both 0 or both 1 in a quarter of the resamples each."""
    assert mean_intervals(np.array([[0.0, 1.0]])).tolist() == [[0, 1]]


def test_what_does_not_vary_has_no_width_and_one_query_no_interval():
    assert mean_intervals(np.full((1, 9), 0.25)) == pytest.approx(np.full((1, 2), 0.25))
    assert np.isnan(mean_intervals(np.array([[0.3]]))).all()


def test_intervals_are_repeatable_and_shared_by_measures():
    values = np.random.default_rng(3).random((1, 40))
    both = mean_intervals(np.concatenate([values, values]))
    assert (both[0] == both[1]).all()
    assert both[:1] == pytest.approx(mean_intervals(values))
    assert (mean_intervals(values, seed=1) != mean_intervals(values)).any()


def test_the_interval_of_a_mean_is_about_two_standard_errors_wide():
    values = np.random.default_rng(0).normal(size=(1, 400))
    low, high = mean_intervals(values)[0]
    assert (high - low) / 2 == pytest.approx(1.96 * values.std() / 20, rel=0.1)


@given(st.lists(st.floats(0, 1, width=16), min_size=2, max_size=12))
def test_a_mean_lies_within_its_interval(values):
    low, high = mean_intervals(np.array([values]))[0]
    assert low - 1e-9 <= np.mean(values) <= high + 1e-9


def test_five_gains_of_one_have_a_p_of_a_sixteenth():
    """Only the observed signs and their mirror image are as far apart: 2 of 2 ** 5."""
    assert paired_p(np.ones((1, 5)), np.zeros((1, 5))) == pytest.approx([2 / 32], abs=0.01)


def test_equal_rankers_have_a_p_of_one_and_a_test_knows_no_direction():
    values = np.random.default_rng(1).random((2, 30))
    assert paired_p(values, values).tolist() == [1, 1]
    other = np.random.default_rng(2).random((2, 30))
    assert (paired_p(values, other) == paired_p(other, values)).all()


def test_sums_of_floats_that_are_equal_but_for_rounding_are_as_far_apart():
    """.1 + .2 + .3 - .6 is 1e-16, and in another order 0: no flip comes nearer than nothing."""
    assert paired_p([[0.1, 0.2, 0.3, 0]], [[0, 0, 0, 0.6]]).tolist() == [1]


def test_a_paired_p_agrees_with_scipy():
    chance = np.random.default_rng(5)
    one, other = chance.random(12) + 0.15, chance.random(12)
    exact = permutation_test(
        (one, other),
        lambda x, y, axis: (x - y).mean(axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert paired_p(one, other) == pytest.approx([exact.pvalue], abs=0.02)


# resampled correlations ----------------------------------------------------------


def test_ranks_of_counted_values_by_hand():
    """Of 10, 20, 20 the twenties share rank 2.5; with 10 twice and 20 once 10 has 1.5."""
    ranks = weighted_ranks(np.array([[1, 1, 1], [2, 0, 1]]), np.array([10.0, 20.0, 20.0]))
    assert ranks[0].tolist() == [1, 2.5, 2.5]
    assert ranks[1, [0, 2]].tolist() == [1.5, 3]


counted = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12
)


@given(counted)
def test_counting_a_pair_twice_is_having_it_twice(rows):
    weights, x, y = np.array(rows, dtype=float).T
    repeats = weights.astype(int)
    many_x, many_y = np.repeat(x, repeats), np.repeat(y, repeats)
    if not len(many_x):
        return
    ranks = weighted_ranks(weights[None], x)[0]
    assert np.repeat(ranks, repeats) == pytest.approx(rankdata(many_x))
    found = weighted_pearson(weights[None], x, y)[0]
    if len(set(many_x)) > 1 and len(set(many_y)) > 1:
        assert found == pytest.approx(pearsonr(many_x, many_y).statistic)
    else:
        assert np.isnan(found)


def test_whole_queries_are_drawn():
    weights = query_weights(["a", "a", "b", "c"], resamples=50)
    assert weights.shape == (50, 4)
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, [0, 2, 3]].sum(1) == 3).all()
    assert (weights == query_weights(["a", "a", "b", "c"], resamples=50)).all()


def test_an_interval_that_most_resamples_lack_is_not_given():
    assert np.isnan(percentiles(np.array([np.nan, np.nan, 1.0]))).all()
    assert percentiles(np.arange(1001.0)) == pytest.approx((25, 975))


# r, rho, MSE ---------------------------------------------------------------------

FIT = Query("fit")


def judged(query, grades, distances):
    """Labels of tickets t0, t1, ... and their places."""
    labels = [Label(query, f"t{i}", grade) for i, grade in enumerate(grades)]
    places = {f"t{i}": (i + 1, float(distance)) for i, distance in enumerate(distances)}
    return labels, {query.id: places}


def related(grades, distances, fit=(YES, NO), fit_distances=(1, 3)):
    """Distance 1 is a 5 and distance 3 a 1, so distance 2 is a 3."""
    labels, places = judged(Query("asked"), grades, distances)
    fit_labels, fit_places = judged(FIT, fit, fit_distances)
    return relatedness(places | fit_places, labels, fit_labels)


def test_right_distances_relate_perfectly():
    found = related((YES, REL, NO), (1, 2, 3))
    assert (found.pairs, found.reasons) == (3, ())
    assert (found.r.value, found.rho.value, found.mse.value) == pytest.approx((1, 1, 0))


def test_wrong_distances_by_hand():
    """Scores 1, 3, 5 for grades 5, 3, 1: errors 16, 0, 16."""
    found = related((YES, REL, NO), (3, 2, 1))
    assert (found.r.value, found.rho.value) == pytest.approx((-1, -1))
    assert found.mse.value == pytest.approx(32 / 3)


def test_rho_needs_only_the_order_r_the_size():
    """Scores 5, 4.8, 1 of grades 5, 3, 1."""
    found = related((YES, REL, NO), (1, 1.1, 3))
    assert found.rho.value == pytest.approx(1)
    assert found.r.value == pytest.approx(pearsonr([5, 4.8, 1], [5, 3, 1]).statistic)
    assert found.mse.value == pytest.approx(1.8**2 / 3)


def test_one_grade_has_an_error_but_no_correlation():
    found = related((YES, YES), (1, 2))
    assert found.r is found.rho is None
    assert found.mse.value == pytest.approx((0 + 4) / 2)
    assert found.reasons == (ONE_GRADE,)


def test_equal_distances_have_no_correlation():
    found = related((YES, NO), (2, 2))
    assert found.r is found.rho is None and found.reasons == (ONE_DISTANCE,)


def test_without_other_grades_to_map_distances_by_only_rho_is_known():
    found = related((YES, NO), (1, 2), fit=(YES,), fit_distances=(1,))
    assert found.r is found.mse is None
    assert found.rho.value == pytest.approx(1) and found.reasons == (NOTHING_TO_FIT,)


@pytest.mark.parametrize(
    ("fitted", "distances", "error"),
    [
        ((3, 1), (1, 2), (4 + 4) / 2),  # the farther was better: a 3 for any distance
        ((1, 3), (4, 5), (16 + 0) / 2),  # farther than all that was learned from: 1 each
    ],
)
def test_where_all_distances_map_to_one_grade_that_is_said_and_only_r_lacks(
    fitted, distances, error
):
    found = related((YES, NO), distances, fit_distances=fitted)
    assert found.r is None and found.reasons == (ONE_SCORE,)
    assert found.rho.value == pytest.approx(1) and found.mse.value == pytest.approx(error)


def test_a_ticket_that_was_not_found_is_no_pair():
    assert related((YES, NO), (1,)).pairs == 1
    nothing = related((YES,), ())
    assert nothing.pairs == 0 and nothing.reasons == (NO_PAIR,)
    assert nothing.r is nothing.rho is nothing.mse is None


def test_one_query_has_no_interval():
    found = related((YES, REL, NO), (1.5, 1.2, 2.5))
    for estimate in (found.r, found.rho, found.mse):
        assert np.isfinite(estimate.value) and np.isnan([estimate.low, estimate.high]).all()


def test_intervals_are_over_queries():
    """Forty queries that all are alike: whichever are drawn, the numbers are the same."""
    labels, places = [], {}
    for i in range(40):
        some, where = judged(Query(f"q{i}"), (YES, REL, NO), (1.5, 1.2, 2.5))
        labels, places = labels + some, places | where
    fit_labels, fit_places = judged(FIT, (YES, NO), (1, 3))
    found = relatedness(places | fit_places, labels, fit_labels)
    for estimate in (found.r, found.rho, found.mse):
        assert estimate.low == pytest.approx(estimate.value) == estimate.high
    _, where = judged(Query("q0"), (YES, REL, NO), (3, 1, 1))
    found = relatedness(places | fit_places | where, labels, fit_labels)
    assert found == relatedness(places | fit_places | where, labels, fit_labels)
    for estimate in (found.r, found.rho, found.mse):
        assert estimate.low < estimate.value < estimate.high


# success (Figure 4) --------------------------------------------------------------

ONE, TWO, NONE = sorted((Query("one"), Query("two"), Query("three")), key=lambda query: query.id)


def test_matched_counts_by_hand():
    """Of ONE two of three YES and its REL are among ten; of TWO the YES is eleventh."""
    labels = [Label(ONE, id, YES) for id in "ABC"] + [Label(ONE, "R", REL), Label(ONE, "N", NO)]
    labels += [Label(TWO, "A", YES), Label(TWO, "R", REL), Label(NONE, "A", NO)]
    run = {
        ONE.id: [(id, 0.0) for id in "ANRB"],
        TWO.id: [*((f"x{i}", 0.0) for i in range(10)), ("A", 1.0)],
        NONE.id: [("A", 0.0)],
    }
    counts = count_matches(labels, run)
    assert counts == [Matched(ONE.id, 3, 1, 2, 1), Matched(TWO.id, 1, 1, 0, 0)]
    assert (counts[0].matched(False), counts[0].matched(True)) == (2, 3)


def test_success_rates_by_hand():
    counts = [Matched("a", 3, 1, 2, 1), Matched("b", 1, 1, 0, 0), Matched("c", 0, 1, 0, 1)]
    assert success_rates(counts) == [
        Success(1, False, 1 / 2, 1),
        Success(2, False, 1 / 2, 1 / 2),
        Success(3, False, 0, 1 / 2),
        Success(1, True, 2 / 3, 1),
        Success(2, True, 1 / 3, 2 / 3),
        Success(3, True, 1 / 3, 1 / 3),
    ]


def test_what_no_ranking_could_reach_has_no_rate():
    assert [x.at_least for x in success_rates([Matched("a", 1, 0, 1, 0)])] == [1, 1]
    assert success_rates([]) == []


@given(
    st.lists(
        st.builds(
            lambda gold, found: Matched("q", *gold, min(found[0], gold[0]), min(found[1], gold[1])),
            st.tuples(st.integers(0, 5), st.integers(0, 5)),
            st.tuples(st.integers(0, 5), st.integers(0, 5)),
        ),
        max_size=8,
    )
)
def test_a_rate_never_exceeds_what_is_possible_nor_rises_with_the_demand(counts):
    rates = success_rates(counts)
    assert all(0 <= rate.rate <= rate.possible <= 1 for rate in rates)
    for with_rel in (False, True):
        some = [rate.rate for rate in rates if rate.with_rel == with_rel]
        assert some == sorted(some, reverse=True)
