"""From distance to the 1-5 scale: monotone, inside the scale, knots worked out by hand."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.model.calibration import Calibration, fit_scores, separating_distance

DISTANCES = st.floats(0, 1e6, allow_nan=False, width=32)
RATED = st.lists(st.tuples(DISTANCES, st.sampled_from([1.0, 3.0, 5.0])), min_size=1, max_size=30)


def test_knots_by_hand():
    """The 1 at distance 2 and the 3 at distance 3 are in the wrong order: both become 2."""
    knots, scores = fit_scores([1, 2, 3, 4], [5, 1, 3, 1])
    assert knots == (1, 2, 3, 4)
    assert scores == (5, 2, 2, 1)


def test_between_knots_scores_are_interpolated_and_beyond_them_held():
    calibration = Calibration((1.0, 3.0), (5.0, 2.0), 2.0)
    assert calibration.score(2.0) == 3.5
    assert calibration.score(0.0) == 5.0
    assert calibration.score(100.0) == 2.0
    assert calibration.score(np.array([1.0, 3.0])).tolist() == [5.0, 2.0]


def test_an_infinite_distance_scores_1():
    calibration = Calibration((1.0, 3.0), (5.0, 2.0), 2.0)
    assert calibration.score(float("inf")) == 1.0
    assert calibration.score(np.array([1.0, np.inf])).tolist() == [5.0, 1.0]


@given(RATED, st.lists(DISTANCES, min_size=2, max_size=20))
def test_scores_stay_on_the_scale_and_never_reorder_what_distance_orders(rated, asked):
    calibration = Calibration(*fit_scores(*zip(*rated, strict=True)), 1.0)
    scores = calibration.score(np.sort(asked))
    assert (np.diff(scores) <= 1e-9).all()
    assert scores.min() >= 1 and scores.max() <= 5


@given(RATED)
def test_json_brings_the_calibration_back(rated):
    calibration = Calibration(*fit_scores(*zip(*rated, strict=True)), 3.25)
    assert Calibration.from_json(json.loads(json.dumps(calibration.to_json()))) == calibration


def test_the_separating_distance_by_hand():
    """At 2 all but one right tickets are kept and no wrong one: 2/3 - 0. At 9: 3/3 - 1/2."""
    assert separating_distance([1, 2, 9], [5, 10]) == 2


def test_a_clean_gap_is_cut_at_the_last_right_distance():
    assert separating_distance([1.0, 2.0], [7.0, 8.0]) == 2.0


@pytest.mark.parametrize(("answered", "unanswered"), [([4.0], []), ([], [4.0])])
def test_one_side_alone_still_gives_a_distance(answered, unanswered):
    assert separating_distance(answered, unanswered) == 4.0
