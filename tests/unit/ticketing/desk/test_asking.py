"""What a desk remembers of what was asked, and for how long."""

from contextlib import closing
from datetime import datetime, timedelta

import pytest

from tests.fake_desk import FakeDesk
from ticketing import times
from ticketing.settings import Settings
from ticketing.tickets import Filters, Grade, Judgment, Query

SUBJECTS = ("pump", "valve", "filter", "flame")


@pytest.fixture(autouse=True)
def noon(monkeypatch):
    """It is noon: no test sees a day end."""
    set_clock(monkeypatch, datetime(2024, 1, 1, 12))


def set_clock(monkeypatch, now: datetime) -> None:
    monkeypatch.setattr(times, "utc_now", lambda: now)
    monkeypatch.setattr("ticketing.desk.asking.utc_now", lambda: now)


def days_later(monkeypatch, days: int) -> None:
    """So many days pass."""
    set_clock(monkeypatch, times.utc_now() + timedelta(days=days))


def left(desk) -> set[str]:
    """Subjects of the queries that are remembered."""
    return {query.subject for query in desk.store.queries()}


def test_queries_are_forgotten_in_time_but_those_judged_or_saved(tmp_path, monkeypatch):
    with closing(FakeDesk(Settings(home=tmp_path, keep_queries=90))) as desk:
        judged, saved, unsaved, asked = (Query(subject) for subject in SUBJECTS)
        for query in (judged, saved, unsaved, asked):
            desk.ask(query, Filters(), "ann")
        desk.store.add_judgments(
            [Judgment("e1", judged, "GT-0101", Grade.YES, "ann", times.utc_now())]
        )
        for query, kept in ((saved, True), (unsaved, True), (unsaved, False)):
            desk.save_query(query.id, Filters(), "ann", kept)
        days_later(monkeypatch, 90)
        assert desk.forget_queries() == 0
        assert len(desk.history("ann")) == 4
        days_later(monkeypatch, 1)
        assert desk.forget_queries() == 2
        assert left(desk) == {"pump", "valve"}
        assert len(desk.history("ann")) == 0
        assert [event.query for event in desk.saved_queries("ann")] == [saved]


def test_a_query_one_person_keeps_stays_though_another_no_longer_does(tmp_path, monkeypatch):
    with closing(FakeDesk(Settings(home=tmp_path))) as desk:
        query = Query("pump")
        desk.ask(query, Filters(), "ann")
        for person, kept in (("ann", True), ("ben", True), ("ben", False)):
            desk.save_query(query.id, Filters(), person, kept)
        days_later(monkeypatch, 1000)
        assert desk.forget_queries() == 0


def test_a_query_that_is_saved_while_others_are_forgotten_stays(tmp_path, monkeypatch):
    """It was gone, and stood among the saved ones."""
    with closing(FakeDesk(Settings(home=tmp_path))) as desk:
        query = Query("pump")
        desk.ask(query, Filters(), "ann")
        days_later(monkeypatch, 1000)
        forget = desk.whole.forget_queries

        def saved_first(before, keep):
            desk.save_query(query.id, Filters(), "ann")
            return forget(before, keep)

        monkeypatch.setattr(desk.whole, "forget_queries", saved_first)
        assert desk.forget_queries() == 0
        assert [event.query for event in desk.saved_queries("ann")] == [query]
        assert left(desk) == {"pump"}


def test_a_query_that_is_no_longer_saved_is_as_old_as_before(tmp_path, monkeypatch):
    with closing(FakeDesk(Settings(home=tmp_path))) as desk:
        query = Query("pump")
        desk.ask(query, Filters(), "ann")
        days_later(monkeypatch, 1000)
        desk.save_query(query.id, Filters(), "ann", kept=False)
        assert desk.forget_queries() == 1


def test_nothing_is_forgotten_where_queries_are_kept_for_ever(tmp_path, monkeypatch):
    with closing(FakeDesk(Settings(home=tmp_path, keep_queries=0))) as desk:
        desk.ask(Query("pump"), Filters(), "ann")
        days_later(monkeypatch, 10_000)
        assert desk.forget_queries() == 0
        assert left(desk) == {"pump"}
