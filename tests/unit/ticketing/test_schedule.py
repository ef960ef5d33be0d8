"""When a training is due: weekly, after enough judgments, and once for what was missed."""

from dataclasses import replace
from datetime import datetime, time, timedelta

import pytest

from ticketing.schedule import Schedule, Weekday, schedule_from_json, schedule_to_json

SET = datetime(2026, 11, 23, 12)  # a Monday
WEEKLY = Schedule(Weekday.SUNDAY, time(3), since=SET)


@pytest.mark.parametrize(
    ("weekday", "at", "expected"),
    [
        (Weekday.SUNDAY, time(3), datetime(2026, 11, 29, 3)),
        (Weekday.MONDAY, time(12, 30), datetime(2026, 11, 23, 12, 30)),
        (Weekday.MONDAY, time(12), datetime(2026, 11, 30, 12)),
        (Weekday.MONDAY, time(3), datetime(2026, 11, 30, 3)),
        (Weekday.TUESDAY, time(0), datetime(2026, 11, 24)),
    ],
)
def test_the_next_time_is_the_first_one_after_it_was_set(weekday, at, expected):
    assert Schedule(weekday, at, since=SET).next_time() == expected


def test_nothing_is_due_by_default():
    assert Schedule().next_time() is None
    assert Schedule().due(SET, 10**6) == ""


def test_a_weekly_time_is_due_from_its_minute_on():
    coming = WEEKLY.next_time()
    assert WEEKLY.due(coming - timedelta(seconds=1), 0) == ""
    assert WEEKLY.due(coming, 0) == "it is scheduled for Sunday, 03:00 UTC"


def test_times_that_were_missed_are_made_up_for_once():
    late = SET + timedelta(days=40)
    assert WEEKLY.due(late, 0)
    begun = replace(WEEKLY, since=late)
    assert begun.due(late, 0) == ""
    assert late < begun.next_time() <= late + timedelta(days=7)


def test_enough_new_judgments_are_a_reason():
    schedule = Schedule(judgments=50, judged=100, since=SET)
    assert schedule.due(SET, 149) == ""
    assert schedule.due(SET, 150) == "50 new judgments came"


def test_a_record_of_an_earlier_version_counts_since_it_was_set():
    record = schedule_to_json(Schedule(judgments=50, judged=100, since=SET))
    del record["counts_since"]
    assert schedule_from_json(record).counts_since == SET


@pytest.mark.parametrize("day", list(Weekday))
def test_days_count_as_dates_do(day):
    at = SET + timedelta(days=day.number)
    assert at.weekday() == day.number and at.strftime("%A").lower() == day
