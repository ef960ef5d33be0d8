"""BM25 by hand, and what a query without a known word finds."""

import numpy as np
import pytest

from ticketing.text.bm25 import BM25, K1, B


def test_bm25_by_hand():
    """Two texts of 1 and 3 words; "a" is in one of them, "c" twice in the other."""
    [scores] = BM25([["a"], ["b", "c", "c"]]).scores([["a", "c", "c"]])
    idf = np.log(1 + 1.5 / 1.5)
    short, long = (K1 * (1 - B + B * length / 2) for length in (1, 3))
    assert scores == pytest.approx([idf / (1 + short), idf * 2 / (2 + long)])


def test_unknown_words_and_no_words_find_nothing():
    scores = BM25([["a"], ["b"]]).scores([["x"], [], ["b"]])
    assert scores.shape == (3, 2)
    assert not scores[:2].any() and list(scores[2] > 0) == [False, True]
