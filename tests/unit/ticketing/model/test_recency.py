"""What the time between query and ticket adds, by hand."""

from datetime import timedelta
from math import log

import numpy as np
import pytest

from ticketing.model.layout import EPOCH
from ticketing.model.recency import HORIZON_DAYS, MINUTES_A_DAY, Recency, age_of, time_apart

DAY = MINUTES_A_DAY
ASKED = 100 * DAY
TIME = EPOCH + timedelta(days=100)


def test_time_apart_is_the_same_before_and_after():
    apart = time_apart(ASKED, np.array([ASKED, ASKED - DAY, ASKED + DAY, ASKED - 3 * DAY // 2]))
    assert apart.tolist() == pytest.approx([0, log(2), log(2), log(2.5)])


def test_beyond_the_horizon_time_adds_no_more():
    """A ticket of two years is as good as one of one."""
    now = 2000 * DAY
    days = [45, 119, 120, 121, 730]
    apart = time_apart(now, np.array([now - day * DAY for day in days]))
    assert HORIZON_DAYS == 120
    assert apart.tolist() == pytest.approx([log(46), log(120), log(121), log(121), log(121)])
    assert time_apart(now, np.array([now - 9 * DAY]), horizon=3).tolist() == [log(4)]


def test_a_bundle_has_its_own_horizon():
    found = Recency(0.5, 1.2).distances(TIME, np.array([ASKED - 99 * DAY]))
    assert found.tolist() == pytest.approx([0.5 * log(100)])
    bounded = Recency(0.5, 1.2, 10).distances(TIME, np.array([ASKED - 99 * DAY]))
    assert bounded.tolist() == pytest.approx([0.5 * log(11)])


@pytest.mark.parametrize(
    ("days", "age"), [(-3, 0), (0, 0), (6.9, 0), (7, 1), (30, 2), (180, 3), (365, 4), (9999, 4)]
)
def test_an_age_begins_where_the_one_before_ends(days, age):
    assert age_of(days) == age


def test_a_ticket_without_a_date_is_typically_far():
    found = Recency(0.5, 1.2).distances(TIME, np.array([ASKED - 6 * DAY, 0]))
    assert found.tolist() == pytest.approx([0.5 * log(7), 0.5 * 1.2])


def test_a_query_of_unknown_time_is_equally_far_from_all():
    assert Recency(0.5, 1.2).distances(None, np.array([1, DAY, 0])).tolist() == [0, 0, 0]


def test_without_weight_time_is_nothing():
    assert Recency().distances(TIME, np.array([DAY, 0])).tolist() == [0, 0]
