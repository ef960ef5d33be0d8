"""A schedule is set, and remembers what has begun by it."""

from datetime import time, timedelta

import pytest

from tests.fake_desk import FakeDesk
from ticketing.errors import StoreAway
from ticketing.jobs import Promotion
from ticketing.people import Person, Role
from ticketing.schedule import Schedule, Weekday
from ticketing.settings import Settings
from ticketing.tickets import Grade, Query
from ticketing.times import utc_now


@pytest.fixture
def desk(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path))
    yield desk
    desk.close()


def judge(desk, count):
    query = desk.store.put_query(Query("pump"))
    for _ in range(count):
        desk.judge(query, "GT-0101", Grade.YES, "ann")


def test_judgments_count_from_when_the_schedule_was_set(desk):
    judge(desk, 3)
    desk.set_schedule(None, time(3), 2, Promotion.RULE)
    assert desk.new_judgments() == 0
    judge(desk, 2)
    assert desk.new_judgments() == 2
    desk.set_schedule(None, time(3), 9, Promotion.ASK)
    assert desk.new_judgments() == 2


def test_what_is_shown_to_whoever_has_groups_is_what_begins_a_training(desk):
    """Saved again, it counted from then for them, and from the first time for the beat."""
    everybody = Person("ann", Role.ADMIN, groups=frozenset())
    desk.set_schedule(None, time(3), 6, Promotion.RULE)
    first = desk.schedule().counts_since
    judge(desk, 5)
    desk.set_schedule(Weekday.SUNDAY, time(3), 6, Promotion.RULE)
    judge(desk, 1)
    assert desk.schedule().counts_since == first
    assert desk.seen_by(everybody).new_judgments() == desk.new_judgments() == 6
    assert desk.schedule().due(utc_now(), desk.whole.count_judgments()) == "6 new judgments came"


def test_what_has_begun_is_not_due_again(desk):
    desk.set_schedule(Weekday.SUNDAY, time(3), 1, Promotion.ASK)
    judge(desk, 1)
    late = utc_now() + timedelta(days=30)
    assert desk.schedule().due(late, 1)
    desk.schedule_began(late)
    assert desk.new_judgments() == 0 and not desk.schedule().due(late, 1)
    assert desk.schedule().promotion == Promotion.ASK


def test_a_change_beside_another_one_is_not_lost(desk, monkeypatch):
    tries = []
    whole = desk.whole.set_schedule

    def beside(schedule, seen):
        tries.append(seen)
        if len(tries) == 1:
            whole(Schedule(judgments=7), seen)
        return whole(schedule, seen)

    monkeypatch.setattr(desk.whole, "set_schedule", beside)
    desk.schedule_began(utc_now())
    assert len(tries) == 2 and desk.schedule().judgments == 7
    monkeypatch.setattr(desk.whole, "set_schedule", lambda *_: False)
    with pytest.raises(StoreAway, match="try again"):
        desk.schedule_began(utc_now())
