"""The weight of time: ages count alike, and what the texts answer is not buried."""

from dataclasses import replace
from math import e, inf

import numpy as np
import pytest
import torch

from ticketing.model.recency import HORIZON_DAYS, Recency
from ticketing.tickets import Grade
from ticketing.training.recency_fitting import fit_recency
from ticketing.training.time_weight import (
    TYPICAL_WEIGHT,
    DatedQuery,
    answered,
    balanced,
    fit_weight,
    spread_of,
)
from ticketing.training.validation import ValidationQuery

OTHERS = 30


def query(text, time, days, others=4.0):
    """The right candidate at `text` and `time`; the others at 10 and `others`."""
    texts = np.array([text, *[10.0] * OTHERS])
    times = np.array([time, *[others] * OTHERS])
    return DatedQuery(texts, times, np.arange(1 + OTHERS) == 0, days)


def test_each_age_counts_alike_and_the_sum_is_kept():
    assert balanced([0, 0, 0, 4], [1, 1, 1, 1]).tolist() == pytest.approx([2 / 3] * 3 + [2])
    assert balanced([0, 0, 3], [1, 0.5, 0.5]).tolist() == pytest.approx([2 / 3, 1 / 3, 1])
    assert balanced([2], [0.5]).tolist() == [0.5]
    assert balanced([], []).tolist() == []


def test_a_query_is_surely_answered_where_its_right_ticket_is_nearer_than_the_tenth():
    asked = query(10.0, 3.0, 5)
    assert answered(asked, 0) == 0.5  # as near as the tenth
    assert answered(asked, 1) == pytest.approx(e / (1 + e))  # nearer by 1 * (4 - 3)
    assert answered(query(11.0, 4.0, 5), 1) == pytest.approx(1 / (1 + e))


def test_where_fewer_than_ten_others_could_be_shown_the_right_one_is():
    asked = query(99.0, 4.0, 5)
    asked.texts[10:] = inf
    assert answered(asked, 0.5) == 1


def test_without_a_query_the_weight_is_the_typical_one():
    assert fit_weight([]) == pytest.approx(TYPICAL_WEIGHT)


def test_many_recent_answers_raise_the_weight_and_old_ones_of_a_like_text_lower_it():
    recent = [query(11.0, 1.0, 2)] * 100
    old = [query(9.5, 4.5, 400, others=2.0)] * 100
    assert fit_weight(recent) > 0.8
    assert fit_weight(old) < 0.1


def test_one_query_hardly_moves_the_weight():
    assert fit_weight([query(12.0, 0.0, 2)]) == pytest.approx(TYPICAL_WEIGHT, abs=0.11)


def test_many_recent_answers_count_no_more_than_a_tenth_as_many_old_ones():
    """By mere number the weight would grow, and bury the old: it does if all are of one age."""
    recent = [query(10.5, 3.0, 2)] * 300
    old, as_recent = ([query(9.0, 4.5, days, others=2.0)] * 30 for days in (400, 2))
    assert fit_weight(recent) > 0.5
    assert fit_weight([*recent, *as_recent]) > 0.5
    assert fit_weight([*recent, *old]) < 0.1


def test_what_texts_tell_apart_more_widely_time_tells_apart_more_widely_too():
    spread = query(9.0, 1.0, 2)
    spread.texts[1:] += np.tile([-2.0, 2.0], OTHERS // 2)
    assert spread_of([spread]) == pytest.approx(2)
    assert fit_weight([spread]) == pytest.approx(2 * TYPICAL_WEIGHT, abs=0.2)
    for times in (0.1, 5.0):
        scaled = replace(spread, texts=spread.texts * times)
        assert fit_weight([scaled]) == pytest.approx(times * fit_weight([spread]))


def test_the_spread_is_the_mean_of_the_queries_and_1_where_texts_tell_nothing():
    near, far = query(1.0, 1.0, 2), query(99.0, 1.0, 2)
    assert spread_of([]) == spread_of([near, far]) == 1
    near.texts[1:] += np.tile([-1.0, 1.0], OTHERS // 2)
    far.texts[1:] += np.tile([-4.0, 4.0], OTHERS // 2)
    far.texts[-2:] = inf
    assert spread_of([near, far]) == pytest.approx((1 + 4) / 2)


def test_a_query_that_the_texts_lose_by_far_tells_nothing():
    lost = [query(99.0, 0.0, 2)] * 100
    assert fit_weight(lost) == pytest.approx(TYPICAL_WEIGHT)


def test_an_answer_that_cannot_be_compared_tells_nothing():
    assert fit_weight([query(inf, 0.0, 2)] * 100) == pytest.approx(TYPICAL_WEIGHT)


class Validation:
    """Stands in for ValidationSet: one query, whose right candidate is of its day."""

    def __init__(self, days, weak=False):
        self.queries = [ValidationQuery(([1],), {"a": Grade.YES}, weak=weak)]
        self._days = days

    def times_apart(self):
        return torch.tensor([[0.0, 4.0]]), 2.5

    right = torch.tensor([[True, False]])

    def distances(self, network):
        return torch.tensor([[1.0, 2.0]])

    def days_to_right(self):
        return [self._days]


def test_the_recency_has_a_horizon_and_the_typical_time():
    assert fit_recency(None, Validation(3)) == Recency(
        pytest.approx(TYPICAL_WEIGHT), 2.5, HORIZON_DAYS
    )


def test_without_dates_or_people_time_counts_nothing():
    assert fit_recency(None, Validation(inf)) == Recency()
    assert fit_recency(None, Validation(3, weak=True)) == Recency()
