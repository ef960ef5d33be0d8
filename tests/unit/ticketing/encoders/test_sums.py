"""Sums of words' rows, and how much a repeated word counts, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.encoders.sums import damped, sums_of

TABLE = np.array([[1, 0], [0, 2], [3, 1]], np.float32)


def counts_of(texts, repeats):
    words = np.array([word for text in texts for word in text], np.int64)
    return damped(words, np.cumsum([0, *map(len, texts)]), repeats).tolist()


def test_rows_are_added_up_by_text_each_times_its_weight():
    words, bounds = np.array([0, 1, 0, 2]), np.array([0, 3, 3, 4])
    assert sums_of(TABLE, words, bounds).tolist() == [[2, 2], [0, 0], [3, 1]]
    weights = np.array([1, 0.5, 2, 3], np.float32)
    assert sums_of(TABLE, words, bounds, weights).tolist() == [[3, 1], [0, 0], [9, 3]]


def test_a_repeated_word_adds_less_each_time_and_each_text_begins_anew():
    """The square roots of 1, 2 and 3."""
    found = counts_of([[5, 5, 7, 5], [5]], repeats=0.5)
    assert found == pytest.approx([1, 0.41421, 1, 0.31784, 1], abs=1e-5)
    assert counts_of([[5, 5, 7, 5]], repeats=0) == [1, 0, 1, 0]


def test_all_count_alike_where_repeats_count_in_full():
    assert counts_of([[5, 5, 0], [], [5]], repeats=1) == [1, 1, 1, 1]
    assert counts_of([], repeats=0.5) == []


@given(st.lists(st.lists(st.integers(0, 3), max_size=9), max_size=4), st.floats(0, 1))
def test_a_word_counts_its_number_to_the_power_of_repeats(texts, repeats):
    counts = iter(counts_of(texts, repeats))
    for text in texts:
        own = [*zip(text, [next(counts) for _ in text], strict=True)]
        for word in set(text):
            total = sum(count for x, count in own if x == word)
            assert total == pytest.approx(text.count(word) ** repeats, rel=1e-5)
