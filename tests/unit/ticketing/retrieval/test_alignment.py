"""Words taken for each other: by meaning, form or spelling, and rather none than wrong ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.ticketing.retrieval.words import VECTORS, word_model
from ticketing.retrieval.alignment import Alignment, begin_alike, misspelled
from ticketing.text.telling import TellingWords


def align(asked, said, model=None):
    model = model or word_model()
    alignment = Alignment(model, TellingWords(model.vocabulary))
    near = alignment.near([*asked, "elsewhere"], [*said, "elsewere"])
    text = " ".join(said).upper()
    pairs = alignment.align(near, {word: word.title() for word in asked}, set(said), text)
    return [(pair.query_word, pair.ticket_word, pair.similarity) for pair in pairs]


def test_near_vectors_are_taken_for_each_other_as_they_are_written():
    # cosine of (1, 0) and (.9, .3): .9 / sqrt(.9)
    assert align(["pump"], ["compressor", "oil"]) == [("Pump", "COMPRESSOR", 0.949)]


def test_words_that_begin_alike_need_less():
    assert align(["vibrate"], ["vibration"]) == [("Vibrate", "VIBRATION", 0.6)]


def apart(cosine):
    """Two vectors of this cosine."""
    return (1, 0, 0, 0), (cosine, (1 - cosine**2) ** 0.5, 0, 0)


@pytest.mark.parametrize(
    ("words", "cosine", "alike"),
    [
        (("pump", "valve"), 0.51, True),
        (("pump", "valve"), 0.49, False),
        (("vibrate", "vibration"), 0.41, True),
        (("vibrate", "vibration"), 0.39, False),
    ],
)
def test_how_near_words_are_that_are_taken_for_each_other(words, cosine, alike):
    one, other = words
    model = word_model(dict(zip(words, apart(cosine), strict=True)), counts={})
    assert bool(align([one], [other], model)) == alike


@pytest.mark.parametrize(
    ("documents", "tickets", "alike"),
    [(1000, 5, True), (1000, 4, False), (5000, 10, True), (5000, 9, False)],
)
def test_in_how_many_tickets_a_word_is_that_has_a_meaning(documents, tickets, alike):
    """In five, and of many tickets in one of five hundred."""
    vectors = dict(zip(("pump", "valve"), apart(0.9), strict=True))
    model = word_model(vectors, documents, counts={"pump": 50, "valve": tickets})
    assert bool(align(["pump"], ["valve"], model)) == alike


def test_of_four_pairs_the_three_closest_are_named():
    slips = {"vibrtion": "vibration", "noiise": "noise", "bearng": "bearing", "turbne": "turbine"}
    pairs = align([*slips], [*slips.values()])
    # one letter of nine, and of seven twice; the fourth pair differs in one of six
    assert [pair[:2] for pair in pairs] == [
        ("Vibrtion", "VIBRATION"),
        ("Bearng", "BEARING"),
        ("Turbne", "TURBINE"),
    ]


def test_a_word_and_its_negation_are_not_alike():
    assert align(["visible"], ["invisible"]) == []


@pytest.mark.parametrize(
    "words", [("install", "uninstall"), ("uninstalled", "installed"), ("important", "unimportant")]
)
def test_a_word_that_begins_like_a_negation_has_one_too(words):
    one, other = words
    model = word_model(dict(zip(words, apart(0.9), strict=True)), counts={})
    assert align([one], [other], model) == []


def test_a_word_of_few_tickets_has_no_meaning_yet():
    assert align(["rare"], ["compressor"]) == []


def test_a_word_with_nearer_neighbours_is_not_meant():
    """Three others lie between the two, whose cosine is .8."""
    between = {f"near{end}": (1, 0.01, 0, 0) for end in "abc"}
    vectors = {"pump": (1, 0, 0, 0), "valve": (0.8, 0.6, 0, 0), **between}
    assert align(["pump"], ["valve"], word_model(vectors, counts={})) == []
    del vectors["neara"]
    [(*_, cosine)] = align(["pump"], ["valve"], word_model(vectors, counts={}))
    assert cosine == pytest.approx(0.8)


def test_an_unknown_word_is_compared_by_its_spelling():
    # one letter of nine is missing
    assert align(["vibraton"], ["vibration", "oil"]) == [("Vibraton", "VIBRATION", 0.889)]
    assert align(["vibration"], ["vibraton"]) == [("Vibration", "VIBRATON", 0.889)]


def test_nothing_is_better_than_something_wrong():
    assert align(["coffee", "machine"], ["pump", "oil"]) == []
    assert align([], ["pump"]) == align(["pump"], []) == []


WORDS = st.lists(st.sampled_from([*VECTORS, "vibraton", "compresor", "nois"]), unique=True)


@given(WORDS, WORDS)
def test_every_word_is_in_one_pair_at_most_and_the_closest_come_first(asked, said):
    pairs = align(asked, [word for word in said if word not in asked])
    assert len(pairs) <= 3
    assert [pair[2] for pair in pairs] == sorted((pair[2] for pair in pairs), reverse=True)
    for side in (0, 1):
        assert len({pair[side] for pair in pairs}) == len(pairs)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("vibrate", "vibration", True),
        ("press", "pressing", True),
        ("bottle", "bolt", False),
        ("week", "weekend", False),
        ("car", "cars", False),
        ("load", "loads", True),
        ("filter", "filterings", True),  # six of ten
        ("filter", "filteringly", False),  # six of eleven
    ],
)
def test_a_common_beginning_is_long(one, other, alike):
    assert begin_alike(one, other) == begin_alike(other, one) == alike


@pytest.mark.parametrize(
    ("one", "other", "slip"),
    [
        ("vibraton", "vibration", True),
        ("temprature", "temperature", True),
        ("hgih", "high", False),  # too short to be sure
        ("higth", "high", False),
        ("tempratrue", "temperature", True),
        ("rotro", "rotor", True),
        ("rotro", "motor", False),
        ("motor", "rotor", False),  # the first letter
        ("mbx17", "mbx18", False),
        ("prsesuer", "pressure", True),  # two slips in eight letters
        ("baerign", "bearing", False),  # and in seven
    ],
)
def test_what_a_slip_is(one, other, slip):
    assert misspelled(one, other) == misspelled(other, one) == slip
