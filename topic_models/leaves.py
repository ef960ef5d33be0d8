"""Where words lie in the tree: words of the same documents share their path from the root.

A node near the root then asks which kind of topic comes next, which a hidden layer can tell,
and not which of two random halves of the vocabulary (Mnih and Hinton 2009).
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
"""Steps of power iteration towards those vectors, and towards where words differ most."""


def leaves_by_id(vocabulary_size: int) -> npt.NDArray[np.int64]:
    """Words from left to right by id: a leaf, from V to 2V-1, for each, int64 [vocabulary]."""
    return _leaves(vocabulary_size, lambda words, owners: words)


def leaves_by_likeness(documents: Ragged, vocabulary_size: int) -> npt.NDArray[np.int64]:
    """Words of the same documents near each other: a leaf for each, int64 [vocabulary].

    Below each node the words are ordered along the direction in which their vectors differ most.
    """
    vectors = _word_vectors(documents, vocabulary_size)
    return _leaves(vocabulary_size, lambda words, owners: _places(vectors[words], owners))


def _leaves(
    vocabulary_size: int,
    places: Callable[[npt.NDArray[np.int64], npt.NDArray[np.int64]], npt.NDArray[np.generic]],
) -> npt.NDArray[np.int64]:
    """From the root down, put the words below each node in order and fill its left side first.

    `places(words, owners)` says where each of `words` stands among those of its node, `owners`,
    which ascend from 0. Which leaves there are is said in `BinaryTree`.
    """
    below = np.ones(2 * vocabulary_size, np.int64)  # leaves below each node
    for node in range(vocabulary_size - 1, 0, -1):
        below[node] = below[2 * node] + below[2 * node + 1]
    leaf = np.ones(vocabulary_size, np.int64)
    words, nodes = np.arange(vocabulary_size), np.arange(1, min(2, vocabulary_size))
    while len(nodes):  # a level of the tree; the words lie node by node
        owners = np.repeat(np.arange(len(nodes)), below[nodes])
        words = words[np.lexsort((places(words, owners), owners))]
        nodes = np.stack([2 * nodes, 2 * nodes + 1], axis=1).ravel()
        leaf[words] = np.repeat(nodes, below[nodes])
        words, nodes = words[leaf[words] < vocabulary_size], nodes[nodes < vocabulary_size]
    return leaf


def _word_vectors(documents: Ragged, vocabulary_size: int) -> npt.NDArray[np.float64]:
    """Words by the documents they occur in, of length 1 or 0: float64 [vocabulary, dimensions].

    Their coordinates in the leading subspace of the weighted counts, by subspace iteration. A
    word that no document holds is put beside one that is: no training goes where only such are.
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
    """1 / length, and 0 for no length."""
    return np.where(lengths > 0, 1 / np.maximum(lengths, 1e-12), 0.0)


def _places(
    vectors: npt.NDArray[np.float64], owners: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Where words stand along their node's principal direction: float64 [words].

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
