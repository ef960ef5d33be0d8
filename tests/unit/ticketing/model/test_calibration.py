"""Chances: coherent, strictly ordered, brought back from JSON; the paper's regression by hand."""

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ticketing.model.calibration import UNCALIBRATED, Calibration, Logistic, fit_scores

DISTANCES = st.lists(st.floats(0, 40, width=32), min_size=1, max_size=100).map(sorted).map(np.array)


def test_a_logistic_chance_by_hand():
    """1 + 2 * 3 - 1 * 7 = 0, which is even."""
    assert Logistic(1.0, (2.0, -1.0))(np.array([[3.0, 7.0]])).tolist() == [0.5]


@given(DISTANCES)
def test_chances_are_chances(distances):
    found = UNCALIBRATED.chances(distances)
    no = 1 - found.yes - found.related
    for chances in (found.yes, found.related, no):
        assert ((chances >= 0) & (chances <= 1)).all()
    assert 0 <= found.answered <= 1


def test_outlooks_by_hand():
    calibration = Calibration(*[Logistic(0.0, (0.0,))] * 3, likely=0.6, possible=0.2)
    found = [calibration.outlook(chance) for chance in (0.6, 0.59, 0.2, 0.19)]
    assert found == ["likely", "possible", "possible", "nothing"]


def test_json_brings_the_calibration_back():
    read = json.loads(json.dumps(UNCALIBRATED.to_json()))
    assert Calibration.from_json(read) == UNCALIBRATED


def test_knots_by_hand():
    """The 1 at distance 2 and the 3 at distance 3 are in the wrong order: both become 2."""
    knots, scores = fit_scores([1, 2, 3, 4], [5, 1, 3, 1])
    assert knots == (1, 2, 3, 4)
    assert scores == (5, 2, 2, 1)
