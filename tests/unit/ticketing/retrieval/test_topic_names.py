"""Names of topics pass from bundle to bundle by their words."""

from datetime import datetime

from ticketing.history import TopicName
from ticketing.retrieval.topic_names import name_topics

PUMPS = ("pump", "oil", "leak", "seal")


def named(words, name, id="n"):
    return TopicName(id, "ann", datetime(2024, 1, 1), words, name)


def test_a_later_bundles_topic_of_about_the_same_words_inherits_the_name():
    later = {4: ("flame", "burner"), 9: ("oil", "pump", "shaft", "leak")}
    assert name_topics(later, [named(PUMPS, "Pumps")]) == {9: "Pumps"}
    after_next = {1: ("leak", "oil", "gearbox", "noise"), 2: ("flame",)}
    assert name_topics(after_next, [named(PUMPS, "Pumps")]) == {1: "Pumps"}


def test_less_than_half_of_the_words_is_another_topic():
    assert name_topics({1: ("pump", "flame", "burner", "trip")}, [named(PUMPS, "Pumps")]) == {}
    assert name_topics({}, [named(PUMPS, "Pumps")]) == name_topics({1: ()}, []) == {}


def test_the_later_name_holds_and_an_empty_one_takes_back():
    topics = {1: PUMPS}
    given = [named(PUMPS, "Pumps"), named(("oil", "pump", "hose", "leak"), "Oil pumps")]
    assert name_topics(topics, given) == {1: "Oil pumps"}
    assert name_topics(topics, [*given, named(PUMPS, "")]) == {}


def test_a_name_belongs_to_one_topic_the_most_alike():
    topics = {1: ("pump", "oil", "x", "y"), 2: PUMPS}
    assert name_topics(topics, [named(PUMPS, "Pumps")]) == {2: "Pumps"}
