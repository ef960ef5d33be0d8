"""The schedule by which a desk trains."""

from dataclasses import replace
from datetime import datetime, time

from ticketing.jobs import Promotion
from ticketing.schedule import Schedule, Weekday

SUNDAYS = Schedule(
    Weekday.SUNDAY,
    time(3, 30),
    50,
    Promotion.ASK,
    datetime(2026, 11, 23, 12, 0, 1, 5),
    7,
    datetime(2026, 11, 22, 11, 0, 1, 5),
)


class ScheduleContract:
    def test_at_first_nothing_is_scheduled(self, store):
        assert store.schedule() == Schedule()

    def test_a_schedule_comes_back_as_it_was_set(self, store):
        for schedule in (SUNDAYS, Schedule(judgments=3), Schedule()):
            assert store.set_schedule(schedule, store.schedule())
            assert store.schedule() == schedule

    def test_a_schedule_takes_the_place_of_the_one_that_was_seen_alone(self, store):
        assert store.set_schedule(SUNDAYS, Schedule())
        assert not store.set_schedule(replace(SUNDAYS, judgments=1), Schedule())
        assert not store.set_schedule(Schedule(), replace(SUNDAYS, judged=8))
        assert store.schedule() == SUNDAYS
