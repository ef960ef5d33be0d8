"""A desk of five tickets and no judgment: nothing false is said."""

import pytest

from tests.tiny import TINY, put_encoded, tiny_training
from ticketing.desk import open_desk
from ticketing.recommendations import Outlook
from ticketing.settings import Settings
from ticketing.tickets import Query, Ticket

TICKETS = [
    Ticket("P-1", "Pump leaks", "Oil drips from the shaft seal of the pump.", "Seal replaced."),
    Ticket("P-2", "Valve stuck", "The bypass valve does not open.", "Valve stem greased."),
    Ticket("P-3", "Fan noisy", "The cooling fan howls at full speed.", "Bearing changed."),
    Ticket("P-4", "No display", "The operator panel stays dark.", "Fuse replaced."),
    Ticket("P-5", "Motor hot", "The motor trips on over-temperature.", "Filter cleaned."),
]


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    desk = open_desk(Settings(home=tmp_path_factory.mktemp("five")))
    desk.put_tickets(TICKETS)
    put_encoded(desk, desk.train(TINY, tiny_training()), TICKETS)
    yield desk
    desk.close()


def test_words_that_occur_are_never_said_to_be_missing(five):
    """No word stands in two tickets, so the vocabulary has none; the page marks three."""
    answer = five.recommend(Query("Pump leaks oil"))
    [first] = [item for item in answer.items if item.ticket.id == "P-1"]
    assert {word.word for word in first.reason.shared} == {"Pump", "leaks", "oil"}
    assert "None of the query’s words" not in answer.note


def test_words_that_do_not_occur_are_said_to_be_missing(five):
    answer = five.recommend(Query("xyzzyx qwfpgj"))
    assert answer.outlook == Outlook.NOTHING
    assert answer.note.startswith("None of the query’s words occurs in these tickets")


def test_scores_are_strictly_ordered(five):
    scores = [item.score for item in five.recommend(Query("Pump leaks oil")).items]
    assert len(set(scores)) == len(TICKETS) and scores == sorted(scores, reverse=True)


def test_one_word_of_five_promises_nothing(five):
    """Of its words the tickets have "leaks" alone, and "the"."""
    found = five.recommend(Query("The coffee machine leaks water"))
    assert found.outlook == Outlook.NOTHING and "None of the query’s words" not in found.note
    assert five.recommend(Query("Pump leaks oil")).outlook == Outlook.LIKELY


def test_topics_have_no_words_where_no_word_can_carry_one(five):
    found = five.topics()
    assert (found.topics, found.tickets, found.without_topic) == ((), 5, 5)
    assert five.topic_titles()[0] == "Topic 0"
