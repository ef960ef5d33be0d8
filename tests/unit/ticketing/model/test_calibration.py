"""Chances: coherent, strictly ordered, worked out by hand, brought back from JSON."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.model.calibration import (
    GENERAL,
    LEAST,
    NEAREST,
    NO_CHANCES,
    Calibration,
    Evidence,
    Logistic,
)
from ticketing.model.wording import Wording
from ticketing.recommendations import Recommendation
from ticketing.tickets import Ticket

WORDS = Wording(np.array([3, 1, 0]), 7, np.array([[True, False, False], [True, True, False]]))
"""Of three words the archive lacks one; the first ticket has one, the second two."""


def known(distances, typical, held=0.0):
    """What is known of tickets that nothing moved; `held` is the share of words that they have."""
    count = round(held * 10)
    words = np.broadcast_to(np.arange(10) < count, (len(distances[:NEAREST]), 10))
    return Evidence(distances, distances, typical, Wording(np.full(10, 2), 9, words))


DISTANCES = st.lists(st.floats(0, 1e4, width=32), min_size=1, max_size=100)
EVIDENCE = st.builds(
    lambda distances, typical, held: known(np.sort(np.array(distances)), typical, held),
    DISTANCES,
    st.floats(0, 1e4),
    st.floats(0, 1),
)
SLOPES = st.floats(-60, -0.5)


@st.composite
def calibrations(draw):
    """Any that could be learned: chances fall with rank, and do not rise with distance."""
    intercepts = st.floats(-8, 8)
    return Calibration(
        topic=Logistic(draw(intercepts), tuple(draw(SLOPES) for _ in range(4))),
        answered=Logistic(draw(intercepts), tuple(draw(SLOPES) for _ in range(3))),
        which=Logistic(
            draw(st.floats(-3, 3)),
            (draw(st.floats(-5, -0.1)), draw(st.floats(-20, 0)), draw(st.floats(-20, 20))),
        ),
        related=Logistic(draw(st.floats(-5, 0)), (draw(st.floats(0, 1)),)),
        possible=0.3,
    )


def test_how_far_tickets_are_does_not_depend_on_what_moved_them():
    apart = np.arange(1.0, 21.0)
    moved = Evidence(np.maximum(apart - 0.5, 0), apart[::-1], 3.0, WORDS)
    alone = Evidence(apart**1.1, apart, 3.0, WORDS)
    assert moved.of_topic().tolist() == alone.of_topic().tolist()
    assert moved.of_answered()[0, 1] == alone.of_answered()[0, 1]
    assert moved.of_answered()[0, 0] != alone.of_answered()[0, 0]
    assert moved.of_which().tolist() != alone.of_which().tolist()


def test_without_a_ticket_neither_its_distance_nor_its_words_are_known():
    found = Evidence(np.array([0.5, 3.0]), np.array([2.0, 1.0]), 3.0, WORDS)
    kept = found.kept(np.array([False, True]))
    assert (kept.distances.tolist(), kept.apart.tolist()) == ([3.0], [1.0])
    assert kept.wording.held.tolist() == [[True, True, False]]


def test_a_logistic_chance_by_hand():
    """1 + 2 * 3 - 1 * 7 = 0, which is even."""
    assert Logistic(1.0, (2.0, -1.0))(np.array([[3.0, 7.0]])).tolist() == [0.5]


def test_features_by_hand():
    """A typical ticket is 6 away: 2 lies at a quarter, 6 in the middle, 18 at three quarters."""
    evidence = Evidence(np.array([2.0, 6.0, 18.0]), np.array([18.0, 2.0, 6.0]), 6.0, WORDS)
    assert evidence.places(evidence.distances).tolist() == [0.25, 0.5, 0.75]
    assert evidence.of_topic().tolist() == [[0.25, WORDS.unseen, WORDS.rarity, WORDS.shared(10)]]
    assert evidence.of_answered()[0, 1:].tolist() == [0.5, WORDS.covered(10)]
    np.testing.assert_allclose(
        evidence.of_which(), [[0, 0, 0.5], [np.log(2), 0.25, 0.5], [np.log(3), 0.5, 0.5]]
    )


def test_beyond_ten_the_tenth_is_still_what_the_first_is_compared_with():
    evidence = known(np.arange(1.0, 21.0), 10.0)
    assert evidence.of_topic()[0, 0] == 1 / 11
    assert evidence.of_answered()[0, 1] == 0.5 - 1 / 11


def test_the_share_of_those_shown_by_hand():
    """g is 1/20 each for ten and 1/2 for the next, so the ten have half; what is beyond the nearest
    counts not."""
    near = np.log([20.0] * 10 + [2.0])
    assert known(near, 1.0).of_answered()[0, 0] == pytest.approx(np.log(2.0))
    assert known(near[:10], 1.0).of_answered()[0, 0] == 0  # all are shown
    alike = known(np.full(NEAREST + 50, 7.0), 7.0)
    assert alike.of_answered()[0, 0] == pytest.approx(np.log(NEAREST / 10))


def test_chances_by_hand():
    """A query of the topic (1/2) that is answered (1/2), by the first of two (1/2 and 1/3)."""
    calibration = Calibration(
        topic=Logistic(0.0, (0.0, 0.0, 0.0, 0.0)),
        answered=Logistic(0.0, (0.0, 0.0, 0.0)),
        which=Logistic(0.0, (-1.0, 0.0, 0.0)),
        related=Logistic(0.0, (0.0,)),
        possible=0.2,
    )
    found = calibration.chances(known(np.array([1.0, 2.0]), 3.0))
    answered = LEAST + (1 - 2 * LEAST) / 4
    assert found.answered == pytest.approx(answered)
    np.testing.assert_allclose(found.yes, [answered * (0.4995 + 1e-3), answered * (0.333 + 5e-4)])
    np.testing.assert_allclose(found.related, (1 - found.yes) / 2)


@given(calibrations(), EVIDENCE)
def test_chances_are_chances_and_none_has_more_than_all_together(calibration, evidence):
    found = calibration.chances(evidence)
    no = 1 - found.yes - found.related
    for chances in (found.yes, found.related, no):
        assert ((chances >= 0) & (chances <= 1)).all()
    assert (found.yes <= found.answered).all()
    assert LEAST <= found.answered <= 1 - LEAST


@given(calibrations(), EVIDENCE)
def test_chances_and_scores_fall_strictly_with_the_rank(calibration, evidence):
    """Also of tickets equally far, of which the first has the smaller id."""
    found = calibration.chances(evidence)
    items = [
        Recommendation(rank, Ticket("T", "pump"), float(yes), float(related), 0.0)
        for rank, (yes, related) in enumerate(zip(found.yes, found.related, strict=True), 1)
    ]
    scores = [item.score for item in items]
    assert (np.diff(found.yes) < 0).all() and (np.diff(scores) < 0).all()
    assert all(1 <= score <= 5 for score in scores)


def test_a_query_that_finds_nothing_has_no_chance():
    assert GENERAL.chances(known(np.zeros(0), 0.0)) is NO_CHANCES
    assert GENERAL.outlook(NO_CHANCES.answered) == "nothing"


def test_outlooks_by_hand():
    """Likely from one half on; below what is possible there is nothing."""
    found = [GENERAL.outlook(chance) for chance in (0.5, 0.49, GENERAL.possible, 0.33)]
    assert found == ["likely", "possible", "possible", "nothing"]


def test_json_brings_the_calibration_back():
    assert Calibration.from_json(json.loads(json.dumps(GENERAL.to_json()))) == GENERAL


def test_of_an_older_bundle_the_general_numbers_tell_an_answer():
    """They were learned for other features, as was what is possible."""
    topic = Logistic(2.0, (-20.0, -0.5, 0.0, 3.0))
    answered = Logistic(1.2, (-0.6, 8.0, -1.6, 1.2))
    old = replace(GENERAL, topic=topic, answered=answered, possible=0.2)
    assert Calibration.from_json(old.to_json()) == replace(GENERAL, topic=topic)
