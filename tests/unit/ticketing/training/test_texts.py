"""Packed texts are the texts."""

from datetime import datetime
from tempfile import TemporaryFile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.ids import Ids
from ticketing.text.vocabulary import Vocabulary
from ticketing.training import texts as texts_module
from ticketing.training.texts import FIELDS, Dates, Packer, Sentences

VOCABULARY = Vocabulary(["trip", "pump", "seal"], [3, 2, 2], 5)
TOKENS = st.lists(st.sampled_from(["trip", "pump", "seal", "gt13e2", "noise"]), max_size=5)


def packed(packer, *texts):
    """Their keys ascending, and which of them was packed when."""
    for text in texts:
        packer.add(dict(zip(FIELDS, text, strict=True)))
    return Ids.of(f"T{number}" for number in range(len(texts))).in_order()


@given(st.lists(st.tuples(TOKENS, TOKENS, TOKENS), max_size=5), st.integers(1, 7))
def test_texts_come_back_as_ids_without_unknown_words(tokens, at_once):
    texts = {f"T{i}": dict(zip(FIELDS, fields, strict=True)) for i, fields in enumerate(tokens)}
    with pytest.MonkeyPatch.context() as patch, TemporaryFile() as file:
        packer = Packer(file)
        patch.setattr(texts_module, "AT_ONCE", at_once)
        found = packer.texts(VOCABULARY, *packed(packer, *tokens))
    known = {
        key: {name: [id for id in VOCABULARY.ids(text) if id] for name, text in fields.items()}
        for key, fields in texts.items()
    }
    assert dict(found) == known
    assert list(found) == list(texts)


def test_texts_are_found_by_key_in_whichever_order_they_came():
    with TemporaryFile() as file:
        packer = Packer(file)
        for text in (["pump"], ["trip"], ["seal"]):
            packer.add({"subject": text, "description": [], "solution": []})
        keys = Ids.of(["T10", "T9", "A1"])
        texts = packer.texts(VOCABULARY, *keys.in_order())
    assert {key: texts[key]["subject"] for key in texts} == {"A1": [3], "T10": [2], "T9": [1]}
    assert list(texts) == ["A1", "T10", "T9"]
    with pytest.raises(KeyError):
        texts["T8"]


def test_dates_are_those_that_are_known():
    moments = np.array(["2012-03-01T08:30:00.000001", "NaT", "2011-01-01"], "datetime64[us]")
    dates = Dates(Ids.of(["a", "b", "c"]), moments)
    known = {"a": datetime(2012, 3, 1, 8, 30, 0, 1), "c": datetime(2011, 1, 1)}
    assert dict(dates) == known and len(dates) == 2
    assert dates.newest == known["a"] and dates.get("b") is None
    assert Dates(Ids.of(["b"]), moments[1:2]).newest is None


@given(st.lists(st.tuples(TOKENS, TOKENS, TOKENS), max_size=5))
def test_the_vocabulary_is_that_of_the_texts(tokens):
    with TemporaryFile() as file:
        packer = Packer(file)
        packed(packer, *tokens)
        packer.count({"subject": ["pump", "pump"]})
        found = packer.vocabulary()
    whole = [[token for field in text for token in field] for text in tokens]
    assert found.to_json() == Vocabulary.count([*whole, ["pump"]]).to_json()


def test_of_too_many_distinct_tokens_the_rarest_are_forgotten(monkeypatch):
    monkeypatch.setattr(texts_module, "MOST_DISTINCT", 20)
    with TemporaryFile() as file:
        packer = Packer(file)
        some = [(["pump", "trip"], [f"noise{i}", f"odd{i // 3}"], []) for i in range(90)]
        keys = packed(packer, *some)
        vocabulary = packer.vocabulary()
        texts = packer.texts(vocabulary, *keys)
    assert len(vocabulary.words) < 12
    assert vocabulary.words[:2] == ["pump", "trip"]
    assert vocabulary.document_counts[:2] == [90, 90] and vocabulary.documents == 90
    assert all(fields["subject"] == [1, 2] for fields in texts.values())


def test_of_texts_every_other_one():
    with TemporaryFile() as file:
        packer = Packer(file)
        some = [(["pump"] * i, ["noise"], ["trip"]) for i in range(5)]
        texts = packer.texts(VOCABULARY, *packed(packer, *some))
    assert texts.words == 15
    assert dict(texts.every(2)) == {key: texts[key] for key in ("T0", "T2", "T4")}
    assert texts.every(2).words == 9 and dict(texts.every(1)) == dict(texts)


def test_sentences_are_the_fields_that_have_words_as_often_as_one_asks():
    asked = [{"subject": [1, 2], "description": [], "solution": [3]}, {"subject": [2]}]
    sentences = Sentences(VOCABULARY, asked[:1], asked[1:])
    assert list(sentences) == list(sentences) == [["trip", "pump"], ["seal"], ["pump"]]
