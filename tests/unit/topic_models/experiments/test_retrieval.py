"""Retrieval precision worked out by hand, and what it must not depend on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topic_models.experiments.retrieval import retrieval_precision

EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]


def precision(queries, query_labels, collection, labels, fraction):
    return retrieval_precision(
        np.array(queries, np.float32),
        np.array(query_labels),
        np.array(collection, np.float32),
        np.array(labels),
        fraction,
    )


def test_the_share_of_the_nearest_with_the_query_s_label():
    collection = [EAST, [2, 1], NORTH, WEST]  # cosines to the east 1, 0.89, 0, -1

    assert precision([EAST], ["a"], collection, ["a", "b", "a", "a"], 0.5) == 0.5
    assert precision([EAST], ["a"], collection, ["a", "b", "a", "a"], 0.75) == pytest.approx(2 / 3)


def test_queries_are_averaged():
    assert precision([EAST, WEST], ["a", "a"], [EAST, WEST], ["a", "b"], 0.5) == 0.5


def test_a_fraction_of_less_than_one_document_is_one_document():
    assert precision([EAST], ["a"], [WEST, EAST, NORTH], ["b", "a", "b"], 0.02) == 1


def test_length_does_not_count():
    assert precision([[9, 0]], ["a"], [[0.1, 0], [5, 1]], ["a", "b"], 0.5) == 1


def test_a_tie_for_the_last_place_is_shared():
    """The east is first; three documents in the north share the second place."""
    collection, labels = [NORTH, EAST, NORTH, NORTH], ["a", "a", "b", "b"]

    assert precision([EAST], ["a"], collection, labels, 0.5) == pytest.approx((1 + 1 / 3) / 2)


def test_a_vector_of_zeros_is_as_near_to_all():
    labels = ["a", "b", "b", "b"]

    assert precision([[0, 0]], ["a"], [EAST, NORTH, WEST, EAST], labels, 0.25) == 0.25


def test_more_queries_than_are_held_at_a_time():
    queries = [EAST, WEST] * 300

    assert precision(queries, ["a", "b"] * 300, [WEST, EAST], ["b", "a"], 0.5) == 1


@given(st.permutations(range(6)))
def test_the_collection_s_order_does_not_count(order):
    collection = np.array([EAST, EAST, NORTH, WEST, [1, 1], [1, 1]])
    labels = np.array(list("ababba"))
    queries = [EAST, [1, 2]]

    shuffled = precision(queries, ["a", "b"], collection[order], labels[order], 0.5)

    assert shuffled == pytest.approx(precision(queries, ["a", "b"], collection, labels, 0.5))
