"""Packed texts are the texts."""

from tempfile import TemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.text.vocabulary import Vocabulary
from ticketing.training import texts as texts_module
from ticketing.training.texts import FIELDS, Packer, Sentences

VOCABULARY = Vocabulary(["trip", "pump", "seal"], [3, 2, 2], 5)
TOKENS = st.lists(st.sampled_from(["trip", "pump", "seal", "gt13e2", "noise"]), max_size=5)


def packed(packer, *texts):
    for number, text in enumerate(texts):
        packer.add(f"T{number}", dict(zip(FIELDS, text, strict=True)))


@given(st.lists(st.tuples(TOKENS, TOKENS, TOKENS), max_size=5), st.integers(1, 7))
def test_texts_come_back_as_ids_without_unknown_words(tokens, at_once):
    texts = {f"T{i}": dict(zip(FIELDS, fields, strict=True)) for i, fields in enumerate(tokens)}
    with pytest.MonkeyPatch.context() as patch, TemporaryFile() as file:
        packer = Packer(file)
        patch.setattr(texts_module, "AT_ONCE", at_once)
        packed(packer, *tokens)
        found = packer.texts(VOCABULARY)
    known = {
        key: {name: [id for id in VOCABULARY.ids(text) if id] for name, text in fields.items()}
        for key, fields in texts.items()
    }
    assert dict(found) == known
    assert list(found) == list(texts)


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
        packed(packer, *((["pump", "trip"], [f"noise{i}", f"odd{i // 3}"], []) for i in range(90)))
        vocabulary = packer.vocabulary()
        texts = packer.texts(vocabulary)
    assert len(vocabulary.words) < 12
    assert vocabulary.words[:2] == ["pump", "trip"]
    assert vocabulary.document_counts[:2] == [90, 90] and vocabulary.documents == 90
    assert all(fields["subject"] == [1, 2] for fields in texts.values())


def test_of_texts_every_other_one():
    with TemporaryFile() as file:
        packer = Packer(file)
        packed(packer, *((["pump"] * i, ["noise"], ["trip"]) for i in range(5)))
        texts = packer.texts(VOCABULARY)
    assert texts.words == 15
    assert dict(texts.every(2)) == {key: texts[key] for key in ("T0", "T2", "T4")}
    assert texts.every(2).words == 9 and dict(texts.every(1)) == dict(texts)


def test_sentences_are_the_fields_that_have_words_as_often_as_one_asks():
    asked = [{"subject": [1, 2], "description": [], "solution": [3]}, {"subject": [2]}]
    sentences = Sentences(VOCABULARY, asked[:1], asked[1:])
    assert list(sentences) == list(sentences) == [["trip", "pump"], ["seal"], ["pump"]]
