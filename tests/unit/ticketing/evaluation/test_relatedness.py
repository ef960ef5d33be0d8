"""r, rho and MSE of distances against grades, by hand and against scipy."""

import numpy as np
import pytest
from scipy.stats import pearsonr

from ticketing.evaluation.relatedness import (
    NO_PAIR,
    NOTHING_TO_FIT,
    ONE_DISTANCE,
    ONE_GRADE,
    ONE_SCORE,
    relatedness,
)
from ticketing.tickets import Grade, Label, Query

YES, REL, NO = Grade.YES, Grade.REL, Grade.NO
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
