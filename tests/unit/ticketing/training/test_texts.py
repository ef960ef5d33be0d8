"""Packed texts are the texts."""

from hypothesis import given
from hypothesis import strategies as st

from ticketing.text.vocabulary import Vocabulary
from ticketing.training.texts import FIELDS, Packer, Sentences

VOCABULARY = Vocabulary(["trip", "pump", "seal"], [3, 2, 2], 5)
TOKENS = st.lists(st.sampled_from(["trip", "pump", "seal", "gt13e2", "noise"]), max_size=5)


@given(st.lists(st.tuples(TOKENS, TOKENS, TOKENS), max_size=5))
def test_texts_come_back_as_ids_without_unknown_words(tokens):
    packer = Packer()
    texts = {f"T{i}": dict(zip(FIELDS, fields, strict=True)) for i, fields in enumerate(tokens)}
    for key, fields in texts.items():
        packer.add(key, fields)
    known = {
        key: {name: [id for id in VOCABULARY.ids(text) if id] for name, text in fields.items()}
        for key, fields in texts.items()
    }
    assert dict(packer.texts(VOCABULARY)) == known
    assert list(packer.texts(VOCABULARY)) == list(texts)


def test_sentences_are_the_fields_that_have_words_as_often_as_one_asks():
    asked = [{"subject": [1, 2], "description": [], "solution": [3]}, {"subject": [2]}]
    sentences = Sentences(VOCABULARY, asked[:1], asked[1:])
    assert list(sentences) == list(sentences) == [["trip", "pump"], ["seal"], ["pump"]]
