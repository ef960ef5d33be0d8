"""Where words lie in the tree: all leaves filled, in order of ids, or like words side by side."""

import numpy as np
import pytest

from topic_models.documents import ragged
from topic_models.leaves import leaves_by_id, leaves_by_likeness

SIZES = [1, 2, 3, 6, 8, 13]


@pytest.mark.parametrize("vocabulary_size", SIZES)
def test_by_id_paths_ascend_with_the_ids(vocabulary_size):
    """Node n's left child is 2n, so paths, read as binary fractions, ascend with the leaves."""
    leaves = leaves_by_id(vocabulary_size).tolist()
    paths = [[int(turn) for turn in f"{leaf:b}"[1:]] for leaf in leaves]

    assert sorted(leaves) == list(range(vocabulary_size, 2 * vocabulary_size))
    assert paths == sorted(paths)


@pytest.mark.parametrize("vocabulary_size", SIZES)
@pytest.mark.parametrize("documents", [[[0]], [[], []], [[0, 0], [0]]])
def test_by_likeness_each_word_has_a_leaf_of_its_own(vocabulary_size, documents):
    """Also where documents are fewer than words, empty, or say the same."""
    leaves = leaves_by_likeness(ragged(documents, vocabulary_size), vocabulary_size)

    assert sorted(leaves) == list(range(vocabulary_size, 2 * vocabulary_size))


def test_words_of_the_same_documents_lie_below_the_same_node():
    """Eight words, two of them to a document: pairs share a parent (leaf // 2), and the pairs
    of two kinds of documents a side of the root."""
    pairs = [(0, 5), (2, 7), (1, 4), (3, 6)]
    documents = [[*pair] for pair in pairs for _ in range(20)]
    documents += [[0, 2], [5, 7], [1, 3], [4, 6]] * 5

    leaves = leaves_by_likeness(ragged(documents, 8), 8)

    assert all(leaves[a] // 2 == leaves[b] // 2 for a, b in pairs)
    assert len({leaves[word] // 4 for word in (0, 5, 2, 7)}) == 1


def test_the_same_documents_give_the_same_leaves():
    random = np.random.default_rng(0)
    documents = ragged([random.integers(0, 40, 6) for _ in range(60)], 40)

    assert np.array_equal(leaves_by_likeness(documents, 40), leaves_by_likeness(documents, 40))


def test_words_that_no_document_holds_lie_among_the_others():
    """Together they would have a part of the tree to themselves, and no training would go there.
    Half of 64 words are unseen: below no node of eight leaves are there unseen ones only."""
    random = np.random.default_rng(0)
    documents = ragged([random.integers(0, 32, 6) for _ in range(60)], 64)

    leaves = leaves_by_likeness(documents, 64)
    unseen_below = np.bincount(leaves[32:] // 8 - 8, minlength=8)

    assert unseen_below.max() < 8
