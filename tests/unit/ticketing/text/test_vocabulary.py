"""Words as ids: order, counts, weights, and the way to JSON and back."""

import json
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.text.vocabulary import UNKNOWN, Vocabulary

TEXTS = [["pump", "trip", "pump"], ["trip", "alarm"], ["alarm", "trip"], ["seal"]]


def test_ids_follow_the_number_of_texts_and_then_the_alphabet():
    vocabulary = Vocabulary.count(TEXTS, min_count=1)
    assert vocabulary.words == ["trip", "alarm", "pump", "seal"]
    assert vocabulary.document_counts == [3, 2, 1, 1]
    assert vocabulary.documents == 4
    assert vocabulary.ids(["seal", "trip", "valve", "alarm"]) == [4, 1, UNKNOWN, 2]
    assert len(vocabulary) == 5
    assert "pump" in vocabulary and "valve" not in vocabulary


def test_rare_words_and_words_over_the_limit_are_left_out():
    assert Vocabulary.count(TEXTS).words == ["trip", "alarm"]
    assert Vocabulary.count(TEXTS, limit=1).words == ["trip"]
    assert Vocabulary.count([]).words == []


def test_idf_counts_texts_and_takes_the_unknown_word_as_never_seen():
    weights = Vocabulary.count(TEXTS).idf()
    assert weights == pytest.approx([log(5), log(5 / 4), log(5 / 3)])


@given(st.lists(st.lists(st.text(min_size=1, max_size=3), max_size=5), max_size=8))
def test_json_brings_the_vocabulary_back(texts):
    vocabulary = Vocabulary.count(texts, min_count=1)
    again = Vocabulary.from_json(json.loads(json.dumps(vocabulary.to_json())))
    assert again.to_json() == vocabulary.to_json()
    assert [again.ids(text) for text in texts] == [vocabulary.ids(text) for text in texts]


def test_words_that_join_have_ids_and_are_in_no_text():
    vocabulary = Vocabulary.count(TEXTS).joined_by(["alarm", "valve", "rotor", "stator"], 4)
    assert vocabulary.words == ["trip", "alarm", "valve", "rotor"]
    assert vocabulary.ids(["valve", "trip", "stator"]) == [3, 1, UNKNOWN]
    assert "alarm" in vocabulary and "valve" not in vocabulary
    assert vocabulary.lacking(["rotor", "trip", "stator"]) == ["rotor", "stator"]
    assert vocabulary.share("valve") == 0.0
    assert vocabulary.idf() == pytest.approx([log(5), log(5 / 4), log(5 / 3), log(5), log(5)])


def test_a_full_vocabulary_is_joined_by_nothing():
    vocabulary = Vocabulary.count(TEXTS)
    assert vocabulary.joined_by(["valve"], 2).to_json() == vocabulary.to_json()
