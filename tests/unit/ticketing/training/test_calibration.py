"""What chances are learned from, and that they are ordered whatever the examples say."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logit

from ticketing.model.calibration import GENERAL, LIKELY, Evidence, Logistic
from ticketing.model.wording import Wording
from ticketing.tickets import Grade
from ticketing.training.calibration import (
    PRIOR_QUERIES,
    Asked,
    learn,
    off_topic,
    some_of,
    threshold,
)
from ticketing.training.logistic import fit_logistic

ONES = np.ones(4)


def asked(first, grades, weight=1.0, unknown=0, step=1.0):
    """A query whose tickets lie `first`, and then `step` further each, from it; a typical one
    20. So many of its ten words are unknown, and the tickets have the others."""
    distances = first + step * np.arange(len(grades))
    known = np.arange(10) >= unknown
    words = Wording(5 * known, 99, np.broadcast_to(known, (len(grades), 10)))
    return Asked(Evidence(distances, distances, 20.0, words), np.array(grades), weight)


HITS = [asked(2.0 + i / 10, [Grade.YES, Grade.REL, *[Grade.NO] * 8]) for i in range(20)]
MISSES = [asked(12.0 + i / 10, [Grade.NO] * 10, step=0.2) for i in range(10)]
EVERYDAY = [asked(20.0 + i / 10, [Grade.NO] * 10, unknown=9) for i in range(50)]


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
    assert fit_logistic(features, ~right, ONES, falling=[], rising=[0]).weights[0] == 0
    assert fit_logistic(features, ~right, ONES, falling=[]).weights[0] < 0


def test_a_feature_without_two_values_says_nothing():
    """The mean of three times .1 is not .1, and the difference was taken for a spread: a little
    more or less than .1 gave chances of 0 and 1."""
    found = fit_logistic(np.full((3, 1), 0.1), np.array([1, 0, 0]) > 0, np.ones(3), [])
    assert found(np.array([[0.0], [0.1], [0.2]])) == pytest.approx(1 / 3, abs=1e-5)


def test_one_answer_does_not_fix_how_far_the_tenth_ticket_must_be():
    """All tickets of one answer have the same spread. Half a step more or less is no reason to give
    its first ticket a chance near 0 or near that of the whole answer."""
    one = learn([asked(2.0, HITS[0].found, step=0.3)], [], [], EVERYDAY)
    assert one.which.weights[2] == 0


def test_where_no_feature_is_left_the_share_is():
    found = fit_logistic(np.zeros((4, 1)), np.array([1, 0, 0, 0]) > 0, ONES, [0])
    assert found(np.zeros((1, 1)))[0] == pytest.approx(0.25, abs=1e-5)


def test_an_example_counts_by_its_weight():
    right = np.array([1, 0]) > 0
    found = fit_logistic(np.zeros((2, 1)), right, np.array([3.0, 1.0]), [])
    assert found(np.zeros((1, 1)))[0] == pytest.approx(0.75)


@pytest.mark.parametrize("right", [np.zeros(4, bool), np.ones(4, bool)])
def test_examples_of_one_kind_teach_nothing(right):
    assert fit_logistic(np.arange(4.0)[:, None], right, ONES, [0]) is None


def test_few_examples_leave_what_other_desks_taught():
    """A feature that does not vary among them keeps its weight, and moves no chance."""
    near = Logistic(1.0, (-2.0, 3.0))
    features, right = np.array([[0.0, 5.0], [1.0, 5.0]]), np.array([False, True])
    few = fit_logistic(features, right, np.full(2, 0.01), [], near)
    many = fit_logistic(features, right, np.full(2, 1000.0), [], near)
    np.testing.assert_allclose([few.intercept, *few.weights], [1, -2, 3], atol=0.05)
    assert many.weights[0] > 0 and many.weights[1] == 3
    assert fit_logistic(features, right, np.full(2, 1000.0), [0], near).weights[0] == 0


def test_chances_follow_what_was_asked():
    found = learn([*HITS, *MISSES], [], [], EVERYDAY)
    near, far, strange = (found.chances(x[5].evidence) for x in (HITS, MISSES, EVERYDAY))
    assert near.answered > 0.8 > 0.4 > far.answered > strange.answered
    assert near.yes[0] > 0.6 and near.yes[1] < 0.2
    assert near.related[1] > far.related[1]
    outlooks = [found.outlook(x.answered) for x in (near, strange)]
    assert outlooks == ["likely", "nothing"]


def test_a_ticket_that_solved_the_very_query_is_no_less_likely_for_it():
    """Here the first is right where the ten are close together, and wrong where they are not."""
    close = [asked(4.0 + i / 10, [Grade.YES, *[Grade.NO] * 9], step=0.1) for i in range(20)]
    apart = [asked(4.0 + i / 10, [Grade.NO, Grade.YES, *[Grade.NO] * 8]) for i in range(20)]
    found = learn([*close, *apart], [], [], EVERYDAY)
    own = close[5].evidence
    solved = replace(own, distances=np.append(0.0, own.distances[1:]))
    assert found.which(solved.of_which())[0] >= found.which(own.of_which())[0]


def test_nothing_asked_teaches_nothing():
    assert learn([], [], [], EVERYDAY) == GENERAL


def test_tickets_own_subjects_teach_which_ticket_it_is_and_no_more():
    found = learn([], [], [*HITS, *MISSES], EVERYDAY)
    assert (found.topic, found.answered) == (GENERAL.topic, GENERAL.answered)
    assert found.possible == GENERAL.possible and found.which != GENERAL.which


def test_where_no_answer_is_found_only_the_rest_is_learned():
    found = learn(MISSES, [], [], EVERYDAY)
    assert (found.answered, found.which) == (GENERAL.answered, GENERAL.which)
    assert found.topic != GENERAL.topic and found.possible == GENERAL.possible


def test_a_subject_alone_is_about_the_archive_too():
    """People's subjects, short as everyday texts, are held for strange where they teach nothing."""
    short = [asked(9.0 + i / 10, [Grade.NO] * 10, unknown=9) for i in range(20)]
    whole = learn(HITS, [], [], EVERYDAY)
    also = learn(HITS, short, [], EVERYDAY)
    chances = [found.topic(short[5].evidence.of_topic())[0] for found in (whole, also)]
    assert chances[0] < chances[1]


@pytest.mark.parametrize("count", [20, 200])
def test_the_threshold_lies_two_fifths_of_the_way_from_everyday_texts_to_answers(count):
    """In log odds, and the nearer to that of other desks, the fewer answers there are."""
    hits = [asked(9.0 + i / count, [Grade.YES] + [Grade.NO] * 9, unknown=5) for i in range(count)]
    least = np.quantile([GENERAL.answer(x.evidence) for x in EVERYDAY], 0.97)
    most = np.quantile([GENERAL.answer(x.evidence) for x in hits], 0.1)
    own = 0.6 * logit(least) + 0.4 * logit(most)
    wanted = (count * own + PRIOR_QUERIES * logit(GENERAL.possible)) / (count + PRIOR_QUERIES)
    found = threshold(GENERAL, hits, EVERYDAY)
    assert logit(found) == pytest.approx(wanted) and least < found < most


def test_the_threshold_hides_few_answers_and_is_never_above_what_is_likely():
    """Where everyday texts lie above the answers, a tenth of those are hidden."""
    few = GENERAL.answer(HITS[0].evidence)
    grades = [Grade.YES] + [Grade.NO] * 9
    far = [asked(12.0 + i / 50, grades, unknown=6, step=0.2) for i in range(1000)]
    chances = np.array([GENERAL.answer(x.evidence) for x in far])
    found = threshold(GENERAL, far, HITS)
    assert few > chances.max() and (chances < found).mean() == pytest.approx(0.1, abs=0.01)
    assert threshold(GENERAL, HITS, HITS) == LIKELY
    assert threshold(GENERAL, MISSES, EVERYDAY) == GENERAL.possible


def test_everyday_texts_are_many_and_distinct():
    texts = off_topic()
    assert len(texts) == len(set(texts)) >= 100


def test_some_are_the_same_some():
    ids = [f"T{i}" for i in range(1000)]
    assert some_of(ids, 1) == some_of(ids[::-1], 1) != some_of(ids, 2)
    assert len(some_of(ids, 1)) == 200 and sorted(some_of("ab", 1)) == ["a", "b"]
