"""What chances are learned from, and that they are ordered whatever the examples say."""

import numpy as np
import pytest

from ticketing.model.calibration import GENERAL, LIKELY, Evidence
from ticketing.tickets import Grade
from ticketing.training.calibration import Asked, learn, off_topic, some_of, threshold
from ticketing.training.logistic import fit_logistic

ONES = np.ones(4)


def asked(first, grades, weight=1.0, unknown=0.0, step=1.0):
    """A query whose tickets lie `first`, and then `step` further each, from it; a typical one
    20."""
    distances = first + step * np.arange(len(grades))
    return Asked(["pump"], Evidence(distances, distances, 20.0, unknown), np.array(grades), weight)


HITS = [asked(2.0 + i / 10, [Grade.YES, Grade.REL, *[Grade.NO] * 8]) for i in range(20)]
MISSES = [asked(12.0 + i / 10, [Grade.NO] * 10, step=0.2) for i in range(10)]
EVERYDAY = [asked(20.0 + i / 10, [Grade.NO] * 10, unknown=0.9) for i in range(50)]


def test_what_falls_is_learned():
    found = fit_logistic(
        np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1, 1, 0, 0]) > 0, ONES, [0]
    )
    assert found.weights[0] < 0
    assert found(np.array([[1.5]]))[0] == pytest.approx(0.5)


def test_what_must_fall_and_would_rise_is_left_out():
    features = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    right = np.array([0, 0, 1, 1]) > 0
    assert fit_logistic(features, right, ONES, falling=[0]).weights[0] == 0
    assert fit_logistic(features, right, ONES, falling=[]).weights[0] > 0


def test_where_no_feature_is_left_the_share_is():
    found = fit_logistic(np.zeros((4, 1)), np.array([1, 0, 0, 0]) > 0, ONES, [0])
    assert found(np.zeros((1, 1)))[0] == pytest.approx(0.25)


def test_an_example_counts_by_its_weight():
    right = np.array([1, 0]) > 0
    found = fit_logistic(np.zeros((2, 1)), right, np.array([3.0, 1.0]), [])
    assert found(np.zeros((1, 1)))[0] == pytest.approx(0.75)


@pytest.mark.parametrize("right", [np.zeros(4, bool), np.ones(4, bool)])
def test_examples_of_one_kind_teach_nothing(right):
    assert fit_logistic(np.arange(4.0)[:, None], right, ONES, [0]) is None


def test_chances_follow_what_was_asked():
    found = learn([*HITS, *MISSES], EVERYDAY)
    near, far, strange = (found.chances(x[5].evidence) for x in (HITS, MISSES, EVERYDAY))
    assert near.answered > 0.8 > 0.4 > far.answered > strange.answered
    assert near.yes[0] > 0.6 and near.yes[1] < 0.2
    assert near.related[1] > far.related[1]
    outlooks = [found.outlook(x.answered) for x in (near, strange)]
    assert outlooks == ["likely", "nothing"]


def test_nothing_asked_teaches_nothing():
    assert learn([], EVERYDAY) == GENERAL


def test_where_no_answer_is_found_only_the_rest_is_learned():
    found = learn(MISSES, EVERYDAY)
    assert (found.answered, found.which) == (GENERAL.answered, GENERAL.which)
    assert found.topic != GENERAL.topic and found.possible == GENERAL.possible


def test_the_threshold_promises_little_and_hides_few():
    """Everyday texts far below: three of a hundred of them reach it. Above all answers: it hides
    no more than a tenth of them."""
    hits = sorted(GENERAL.answer(x.evidence) for x in HITS)
    everyday = sorted(GENERAL.answer(x.evidence) for x in EVERYDAY)
    found = threshold(GENERAL, HITS, EVERYDAY)
    assert found == pytest.approx(np.quantile(everyday, 0.97)) and found < hits[0]
    nearer = [asked(0.0, [Grade.NO] * 10) for _ in EVERYDAY]
    hidden = threshold(GENERAL, HITS, nearer)
    assert hidden == LIKELY or sum(hit < hidden for hit in hits) <= 2


def test_everyday_texts_are_many_and_distinct():
    texts = off_topic()
    assert len(texts) == len(set(texts)) >= 100


def test_some_are_the_same_some():
    ids = [f"T{i}" for i in range(1000)]
    assert some_of(ids, 1) == some_of(ids[::-1], 1) != some_of(ids, 2)
    assert len(some_of(ids, 1)) == 200 and sorted(some_of("ab", 1)) == ["a", "b"]
