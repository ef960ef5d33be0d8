"""Intervals, paired tests and resampled correlations, by hand and against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, permutation_test, rankdata

from ticketing.evaluation.significance import (
    mean_intervals,
    paired_p,
    percentiles,
    query_weights,
    weighted_pearson,
    weighted_ranks,
)

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
