"""Ragged documents: whatever is done to them, each keeps its own words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topic_models import DocumentsError
from topic_models.documents import ragged

documents = st.lists(st.lists(st.integers(-2, 12), max_size=6), max_size=8)


def lists(joined) -> list[list[int]]:
    return [part.tolist() for part in np.split(joined.words, joined.starts[1:])][: len(joined)]


@given(documents)
def test_joining_keeps_the_known_words_in_their_documents(given):
    expected = [[word for word in document if 0 <= word < 10] for document in given]

    assert lists(ragged(given, 10)) == expected


@given(documents, st.randoms())
def test_taking_documents_takes_their_words(given, random):
    rows = [random.randrange(len(given)) for _ in range(4)] if given else []
    joined = ragged(given, 20)

    assert lists(joined.take(np.array(rows, np.int64))) == [lists(joined)[row] for row in rows]


@given(documents, st.integers(0, 99))
def test_shuffling_and_sorting_move_words_within_documents_only(given, seed):
    joined = ragged(given, 20)
    shuffled = joined.shuffled(np.random.default_rng(seed))
    expected = [sorted(document) for document in lists(joined)]

    assert [sorted(document) for document in lists(shuffled)] == expected
    assert lists(joined.sorted()) == expected


def test_shuffling_does_change_the_order():
    joined = ragged([list(range(20))], 20)

    assert lists(joined.shuffled(np.random.default_rng(0))) != lists(joined)


@given(documents, st.integers(1, 10))
def test_pieces_are_all_documents_in_order_and_bounded(given, tokens):
    joined = ragged(given, 20)
    pieces = list(joined.pieces(tokens))

    assert [document for piece in pieces for document in lists(piece)] == lists(joined)
    assert all(len(piece.words) <= tokens or len(piece) == 1 for piece in pieces)


def test_a_flat_list_is_no_list_of_documents():
    with pytest.raises(DocumentsError, match="sequence of sequences"):
        ragged([1, 2, 3], 5)
