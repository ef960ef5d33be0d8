"""Did you mean: only where there is no doubt."""

import pytest

from ticketing.retrieval.spelling import Corrector
from ticketing.text import tokenize
from ticketing.text.vocabulary import Vocabulary

COUNTS = {
    "vibration": 40,
    "temperature": 90,
    "rotor": 30,
    "valve": 12,
    "value": 11,
    "valves": 5,
    "pumps": 9,
    "bearing": 2,
    "compressor": 10,
}
CORRECTOR = Corrector(Vocabulary(list(COUNTS), list(COUNTS.values()), 1000))


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("vibraton", "vibration"),
        ("vibratoin", "vibration"),
        ("tempratrue", "temperature"),
        ("rotors", ""),  # a plural of a known word
        ("valbe", ""),  # valve and value are as near and as frequent
        ("valvess", "valves"),
        ("baering", ""),  # a word of two tickets may be a slip itself
        ("compresor", "compressor"),
        ("comprseor", ""),  # two slips in a word of ten tickets
        ("coffee", ""),
    ],
)
def test_the_likeliest_word(word, meant):
    assert CORRECTOR.best(word) == meant


def meant(text, corrector=CORRECTOR):
    return corrector.meant(text, tokenize(text))


def test_words_are_given_as_they_were_written():
    assert meant("Strong VIBRATON of the Rotro, T-12345, rotor\nvibraton") == {
        "VIBRATON": "vibration",
        "Rotro": "rotor",
    }


def test_short_words_ids_and_known_words_are_let_be():
    assert meant("hgih oli GT12 mbx17cp018 valve") == {}
    assert meant("") == meant("vibraton", Corrector(Vocabulary([], [], 0))) == {}


def test_a_log_costs_no_more_than_its_first_words():
    words = [f"xyzz{'abcdefghij'[i]}{'klmnopqrst'[j]}" for i in range(10) for j in range(10)]
    assert meant(" ".join([*words[:8], "vibraton"])) == {}
    assert meant(" ".join([*words[:7], "vibraton"])) != {}


@pytest.mark.parametrize(("count", "likeliest"), [(40, "valve"), (39, "")])
def test_of_two_words_as_near_one_is_meant_that_is_four_times_as_frequent(count, likeliest):
    assert Corrector(Vocabulary(["valve", "value"], [count, 10], 1000)).best("valbe") == likeliest


def test_the_plural_of_a_word_is_no_rival_of_it():
    assert Corrector(Vocabulary(["valve", "valves"], [10, 9], 1000)).best("valvee") == "valve"
