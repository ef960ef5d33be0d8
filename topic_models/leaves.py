"""Places of words in the binary tree: words of the same documents share their path from the root.

Then a node near the root decides between kinds of topics, which a hidden layer can predict, and not
between two random halves of the vocabulary (Mnih and Hinton 2009).
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import norm

from topic_models.documents import Ragged

DIMENSIONS = 50
"""Dimensions of the vectors by which words are compared."""

STEPS = 20
"""Steps of power iteration, for these vectors and for the principal directions."""


def leaves_by_id(vocabulary_size: int) -> npt.NDArray[np.int64]:
    """Leaves in order of word id: for each word a leaf from V to 2V-1, int64 [vocabulary]."""
    return _leaves(vocabulary_size, lambda words, owners: words)


def leaves_by_likeness(documents: Ragged, vocabulary_size: int) -> npt.NDArray[np.int64]:
    """Leaves such that words of the same documents are near each other, int64 [vocabulary].

    Below each node, words are ordered along the principal direction of their vectors.
    """
    vectors = _word_vectors(documents, vocabulary_size)
    return _leaves(vocabulary_size, lambda words, owners: _places(vectors[words], owners))


def _leaves(
    vocabulary_size: int,
    places: Callable[[npt.NDArray[np.int64], npt.NDArray[np.int64]], npt.NDArray[np.generic]],
) -> npt.NDArray[np.int64]:
    """From the root down, order the words below each node and fill its left side first.

    `places(words, owners)` gives the position of each of `words` among those of its node, `owners`
    (ascending from 0). The numbering of leaves is that of `BinaryTree`.
    """
    below = np.ones(2 * vocabulary_size, np.int64)  # leaves below each node
    for node in range(vocabulary_size - 1, 0, -1):
        below[node] = below[2 * node] + below[2 * node + 1]
    leaf = np.ones(vocabulary_size, np.int64)
    words, nodes = np.arange(vocabulary_size), np.arange(1, min(2, vocabulary_size))
    while len(nodes):  # one level of the tree; words are grouped by node
        owners = np.repeat(np.arange(len(nodes)), below[nodes])
        words = words[np.lexsort((places(words, owners), owners))]
        nodes = np.stack([2 * nodes, 2 * nodes + 1], axis=1).ravel()
        leaf[words] = np.repeat(nodes, below[nodes])
        words, nodes = words[leaf[words] < vocabulary_size], nodes[nodes < vocabulary_size]
    return leaf


def _word_vectors(documents: Ragged, vocabulary_size: int) -> npt.NDArray[np.float64]:
    """Vectors of words by the documents in which they occur, of length 1 or 0: float64 [vocabulary,
    dimensions].

    Coordinates in the leading subspace of the weighted counts, by subspace iteration. Words in no
    document are put beside one that is in some, so that no node has only such words.
    """
    shape = (vocabulary_size, len(documents))
    counts = csr_array((np.ones(len(documents.words)), (documents.words, documents.owners)), shape)
    counts = counts.log1p()
    counts = counts @ diags_array(_inverse(norm(counts, axis=0)))
    counts = diags_array(_inverse(norm(counts, axis=1))) @ counts
    dimensions = min(DIMENSIONS, len(documents))
    random = np.random.default_rng(0)
    basis = random.standard_normal((len(documents), dimensions))
    for _ in range(STEPS):
        basis, _ = np.linalg.qr(counts.T @ (counts @ basis))  # [documents, dimensions]
    vectors = counts @ basis
    seen = np.unique(documents.words)
    unseen = np.setdiff1d(np.arange(vocabulary_size), seen)
    if len(seen):
        vectors[unseen] = vectors[random.choice(seen, len(unseen))]
    directions: npt.NDArray[np.float64] = (
        vectors * _inverse(np.linalg.norm(vectors, axis=1))[:, None]
    )
    return directions


def _inverse(lengths: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """1 / length, or 0 if the length is 0."""
    return np.where(lengths > 0, 1 / np.maximum(lengths, 1e-12), 0.0)


def _places(
    vectors: npt.NDArray[np.float64], owners: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Positions of words along the principal direction of their node: float64 [words].

    `vectors` [words, dimensions] and `owners` [words], which ascend from 0 without a gap.
    """
    starts = np.searchsorted(owners, np.arange(owners[-1] + 1))  # [nodes]
    means = np.add.reduceat(vectors, starts) / np.bincount(owners)[:, None]
    centred = vectors - means[owners]
    directions = np.random.default_rng(0).standard_normal(means.shape)  # [nodes, dimensions]
    for _ in range(STEPS):
        places = np.einsum("wd,wd->w", centred, directions[owners])
        directions = np.add.reduceat(centred * places[:, None], starts)
        directions *= _inverse(np.linalg.norm(directions, axis=1))[:, None]
    along: npt.NDArray[np.float64] = np.einsum("wd,wd->w", centred, directions[owners])
    return along
