"""The chance of a proposed category, and the score from which on one is proposed."""

import numpy as np
import pytest

from ticketing.classification.chance import KNOWN, Chance, fit_chance, half_right


def test_the_chance_is_the_share_that_was_right_at_a_score():
    chance = np.random.default_rng(1)
    scores = chance.random(4000)
    right = chance.random(4000) < 1 / (1 + np.exp(-(6 * scores - 4)))
    learned = fit_chance(list(scores), list(right))
    assert learned.of(0.9) == pytest.approx(1 / (1 + np.exp(-1.4)), abs=0.03)
    assert learned.of(0.2) == pytest.approx(1 / (1 + np.exp(2.8)), abs=0.03)


@pytest.mark.parametrize(
    ("score", "chance"),
    [(0.49, 0), (0.5, 0.5), (0.500001, 1 / (1 + np.exp(-1))), (0.51, 1)],
)
def test_a_chance_however_steep_lies_between_0_and_1(score, chance):
    """At 0.49 the exponent is 10,000: more than any number that exp gives."""
    assert Chance(1e6, -5e5).of(score) == pytest.approx(chance)


def test_a_few_titles_that_were_all_wrong_promise_little_and_not_nothing():
    assert 0 < fit_chance([0.2, 0.5, 0.4], [False] * 3).of(0.4) < 0.35


def test_the_floor_is_where_half_are_right():
    scores = [i / 100 for i in range(100)]
    right = [score >= 0.6 for score in scores]
    assert half_right(scores, right) == pytest.approx(0.2)  # 40 right of the 80 from there on


def test_a_classifier_that_is_mostly_wrong_proposes_only_what_it_knows():
    scores = [i / 100 for i in range(100)]
    assert half_right(scores, [i % 6 == 0 for i in range(100)]) == KNOWN


@pytest.mark.parametrize(
    ("scores", "right", "floor"),
    [
        # 10 of 25 are right, in whatever order the equal ones come
        ([0.5] * 25, [False] * 15 + [True] * 10, KNOWN),
        ([0.5] * 25, [False] * 12 + [True] * 13, 0.5),
        # 10 of the first 10, 12 of all 25: half of some of the equal ones would do
        ([0.9] * 10 + [0.5] * 15, [True] * 12 + [False] * 13, 0.9),
    ],
)
def test_the_floor_lies_below_all_titles_of_one_score_or_above_them(scores, right, floor):
    assert half_right(scores, right) == floor
    assert half_right(scores[::-1], right[::-1]) == floor
