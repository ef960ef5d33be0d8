"""Main topics, their shares of all tickets and the months between: worked out by hand."""

from collections import Counter
from datetime import date
from types import SimpleNamespace

import pytest

from tests.fake_desk import topic_model
from tests.fake_records import tickets
from ticketing.errors import NotFound, NotReady
from ticketing.retrieval.topics import (
    MonthCount,
    Topic,
    describe,
    main_topics,
    months_between,
    survey,
)
from ticketing.tickets import Ticket

JAN, FEB, MAR = date(2013, 1, 1), date(2013, 2, 1), date(2013, 3, 1)


def counted(counts):
    """The survey of a store that counts so."""
    return survey(SimpleNamespace(topic_counts=lambda *_: Counter(counts)), topic_model())


def test_shares_are_of_all_tickets_and_months_run_without_gaps():
    """Ten tickets: topic 3 has two in January and one in March, topic 5 four of no date."""
    found = counted({(3, JAN): 2, (3, MAR): 1, (5, None): 4, (17, JAN): 2, (None, MAR): 1})
    assert [(t.topic.number, t.tickets, t.share) for t in found.topics] == [
        (5, 4, 0.4),
        (3, 3, 0.3),
        (17, 2, 0.2),
    ]
    assert found.topics[1].months == (
        MonthCount(JAN, 2, 4),
        MonthCount(FEB, 0, 0),
        MonthCount(MAR, 1, 2),
    )
    assert [month.share for month in found.topics[1].months] == [0.5, None, 0.5]
    assert (found.tickets, found.without_topic, found.undrawn) == (10, 1, 4)
    assert found.all_months == ((JAN, 4), (FEB, 0), (MAR, 2))


def test_a_topic_without_tickets_is_not_listed_but_has_a_trend():
    found = counted({(3, JAN): 1})
    trend = found.trend(Topic(5, ("valve",)))
    assert (trend.tickets, trend.share, trend.months) == (0, 0, (MonthCount(JAN, 0, 1),))


def test_nothing_counted_is_no_topics():
    found = counted({})
    assert (found.topics, found.tickets, found.undrawn, found.all_months) == ((), 0, 0, ())


def test_months_cross_years():
    assert months_between([date(2013, 2, 1), None, date(2012, 11, 1)]) == [
        date(2012, 11, 1),
        date(2012, 12, 1),
        JAN,
        FEB,
    ]
    assert months_between([None]) == []
    assert months_between([date(9999, 12, 1)]) == []
    assert months_between([date(2013, 2, 1), date(9999, 12, 1)]) == [date(2013, 2, 1)]


def test_a_mistyped_year_is_counted_and_not_drawn():
    """240 months that end in January 2013 begin in February 1993."""
    found = counted({(3, date(213, 1, 1)): 1, (3, date(1993, 2, 1)): 1, (3, JAN): 1})
    assert len(found.all_months) == 240
    assert found.all_months[0] == (date(1993, 2, 1), 1)
    assert (found.tickets, found.undrawn) == (3, 1)


def test_the_main_topic_counts_subject_description_and_solution():
    asked = [
        Ticket("a", "Filter", "valve", "pressure low"),
        Ticket("b", "no such word"),
        Ticket("c", "", "burner", ""),
    ]
    assert main_topics(topic_model(), asked) == [3, None, 17]


def test_a_model_without_topics_says_so_and_gives_none():
    model = topic_model()
    model.topics = None
    assert main_topics(model, tickets()) == [None] * 12
    with pytest.raises(NotReady, match="has no topics: its network was trained without channel T"):
        survey(None, model)


@pytest.mark.parametrize("number", [-1, 18])
def test_a_topic_that_the_model_does_not_have_is_not_found(number):
    with pytest.raises(NotFound, match=f"no topic {number}"):
        describe(topic_model(), number)
