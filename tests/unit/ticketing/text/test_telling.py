"""Which words tell: no stop words, letters or masks, and everyday words only where known."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.text import tokenize
from ticketing.text.telling import ENOUGH, TellingWords, numbers_of, singular
from ticketing.text.vocabulary import Vocabulary


def telling(counts: dict[str, int], documents: int) -> TellingWords:
    return TellingWords(Vocabulary(list(counts), list(counts.values()), documents))


def test_the_weight_is_the_idf():
    words = telling({"pump": 3}, 9)
    assert words.weight("pump") == pytest.approx(log(10 / 3.5))
    assert words.weight("pawl") == pytest.approx(log(10 / 0.5))


@pytest.mark.parametrize(
    "token", ["are", "i", "x", "others", "also", "going", "mean", "<num>", "<id>", "7", "doesn't"]
)
def test_stop_words_letters_masks_and_numbers_tell_nothing(token):
    assert telling({"pump": 3}, 9).weight(token) == 0


@pytest.mark.parametrize("token", ["fire", "top", "泵", "ok"])
def test_things_and_han_characters_tell(token):
    assert telling({"pump": 3}, 9).weight(token) > 0


def test_a_word_in_three_of_five_tickets_is_no_everyday_word():
    assert telling({"pump": 3}, 5).weight("pump") > 0
    assert telling({"pump": 5}, 5).weight("pump") > 0


def test_a_word_in_more_than_a_tenth_of_a_large_archive_is_one():
    words = telling({"turbine": ENOUGH // 10 + 1, "rotor": ENOUGH // 10}, ENOUGH)
    assert words.weight("turbine") == 0 < words.weight("rotor")


def test_everyday_words_tell_beside_a_query_that_has_no_others():
    """What tells is still told apart: oil is in fewer tickets than water."""
    words = telling({"water": 60, "oil": 40, "rotor": 2, "in": 150}, ENOUGH)
    assert words.beside(["water", "rotor"]) is words
    beside = words.beside(["water", "in", "oil"])
    assert beside.of(["water", "in", "oil", "<num>"]) == ["water", "oil"]
    assert 0 < beside.weight("water") < beside.weight("oil")


def test_stop_words_are_those_of_the_language_of_the_archive():
    german = telling({"und": 4, "der": 4, "nicht": 3, "pumpe": 2}, 5)
    assert german.weight("oder") == 0 < german.weight("pumpe")
    assert german.weight("also") == 0 < german.weight("war room")  # "also" is German as well


def test_telling_words_stand_once_in_order():
    words = telling({}, 5)
    told = words.of(tokenize("The HMI of pump 12; PUMP and hmi leakTest"))
    assert told == ["hmi", "pump", "leak", "test"]


@pytest.mark.parametrize(
    ("plural", "word"),
    [
        ("pulsations", "pulsation"),
        ("batteries", "battery"),
        ("valves", "valve"),
        ("gas", "ga"),
        ("status", "status"),
        ("pressure", "pressure"),
        ("process", "process"),
        ("shoes", "shoe"),
    ],
)
def test_only_the_ending_of_a_plural_goes(plural, word):
    assert singular(plural) == word


@given(st.text("aeiousyb", max_size=8))
def test_a_word_is_among_the_numbers_of_its_singular(word):
    assert word in numbers_of(singular(word))
    assert {singular(number) for number in numbers_of(singular(word))} == {singular(word)}


def test_numbers_are_the_word_and_its_plurals():
    assert numbers_of("valve") == ("valve", "valves")
    assert numbers_of("query") == ("query", "querys", "queries")
    assert numbers_of("boss") == ("boss",)
