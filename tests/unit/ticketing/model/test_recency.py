"""What the time between query and ticket adds, by hand."""

from datetime import timedelta
from math import log

import numpy as np
import pytest

from ticketing.model.layout import EPOCH
from ticketing.model.recency import MINUTES_A_DAY, Recency, log_days

DAY = MINUTES_A_DAY
ASKED = 100 * DAY
TIME = EPOCH + timedelta(days=100)


def test_log_days_are_the_same_before_and_after():
    days = log_days(ASKED, np.array([ASKED, ASKED - DAY, ASKED + DAY, ASKED - 3 * DAY // 2]))
    assert days.tolist() == pytest.approx([0, log(2), log(2), log(2.5)])


def test_a_ticket_without_a_date_is_typically_far():
    found = Recency(0.5, 1.2).distances(TIME, np.array([ASKED - 6 * DAY, 0]))
    assert found.tolist() == pytest.approx([0.5 * log(7), 0.5 * 1.2])


def test_a_query_of_unknown_time_is_equally_far_from_all():
    assert Recency(0.5, 1.2).distances(None, np.array([1, DAY, 0])).tolist() == [0, 0, 0]


def test_without_weight_time_is_nothing():
    assert Recency().distances(TIME, np.array([DAY, 0])).tolist() == [0, 0]
