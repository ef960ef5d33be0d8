"""How much of a query tickets say in other words: beside numbers worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from ticketing.encoders.terms import bucket_of, term_of
from ticketing.retrieval.alike import MOST, AlikeTerms
from ticketing.text.vocabulary import Vocabulary

# Their mean is 0, so that cosines are those of the vectors as they stand.
VECTORS = {
    "pump": [1.0, 0.0],
    "compressor": [0.8, 0.6],  # to pump .8
    "flame": [-1.0, 0.0],
    "burner": [-0.6, -0.8],  # to flame .6
    "display": [0.0, 5.0],  # to compressor .6
    "screen": [-0.2, -4.8],  # to burner .83
}


def alike_of(vectors, counts=None):
    vocabulary = Vocabulary([*vectors], counts or [9] * len(vectors), 10)
    table = np.array([[0.0, 0.0], *vectors.values()], np.float32)
    buckets = np.array([bucket_of(term_of(word)) for word in ["", *vectors]])
    model = SimpleNamespace(words=SimpleNamespace(table=table), vocabulary=vocabulary)
    return AlikeTerms(model, SimpleNamespace(buckets=buckets))


def said(alike, asked, *tickets):
    """What each ticket says in other words of a query whose terms have these idf."""
    buckets = np.array([bucket_of(term_of(word)) for word in asked], np.int64)
    idf = np.array([*asked.values()], np.float32)
    most = max(map(len, tickets))
    told = [[*map(bucket_of, map(term_of, words)), *[0] * (most - len(words))] for words in tickets]
    return alike.said(buckets, idf, np.array(told, np.uint16))


def test_a_term_counts_by_its_idf_and_the_nearest_that_a_ticket_has():
    asked = {"pump": 2.0, "flame": 3.0}
    found = said(alike_of(VECTORS), asked, ["compressor", "display"], ["burner", "compressor"])
    assert found == pytest.approx([2 * 0.8, 2 * 0.8 + 3 * 0.6])


def test_what_a_ticket_has_is_not_said_in_other_words():
    found = said(alike_of(VECTORS), {"pump": 2.0, "flame": 3.0}, ["pump", "compressor", "burner"])
    assert found == pytest.approx([3 * 0.6])


def test_far_terms_and_unknown_ones_and_none_say_nothing():
    asked = {"pump": 2.0, "stranger": 5.0}
    found = said(alike_of(VECTORS), asked, ["display", "flame"], ["unheard"], [])
    assert found.tolist() == [0, 0, 0]
    assert said(alike_of(VECTORS), {}, ["pump"]).tolist() == [0]


def test_a_term_means_what_its_most_frequent_word_does():
    vectors = {"screenshot": [0.0, 5.0], **VECTORS}  # begins as "screen" does
    asked = {"display": 1.0}
    rare, often = (alike_of(vectors, [n, 9, 9, 9, 9, 9, 8]) for n in (1, 9))
    assert term_of("screenshot") == term_of("screen")
    assert said(rare, asked, ["screen"]) == [0]
    assert said(often, asked, ["screen"]) == pytest.approx([1.0], abs=1e-2)


def test_the_most_telling_terms_are_looked_at():
    others = {f"word{i:02}": [np.cos(i), np.sin(i)] for i in range(2 * MOST)}
    alike = alike_of({**VECTORS, **others})
    rarer = {word: 2.0 for word in [*others][:MOST]}
    few, many = ({**dict([*rarer.items()][:n]), "pump": 1.0} for n in (MOST - 1, MOST))
    with_pump, without = (said(alike, asked, ["compressor"])[0] for asked in (few, many))
    last = said(alike, {[*rarer][MOST - 1]: 2.0}, ["compressor"])[0]
    pump = said(alike, {"pump": 1.0}, ["compressor"])[0]
    assert pump > 0.5 and with_pump - pump == pytest.approx(without - last)
