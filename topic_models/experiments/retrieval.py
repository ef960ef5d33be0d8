"""Retrieval precision: do the nearest documents bear the query's label?"""

import numpy as np
import numpy.typing as npt

QUERIES_AT_ONCE = 256
"""Queries whose similarities to the whole collection are held at a time."""


def retrieval_precision(
    queries: npt.NDArray[np.floating],
    query_labels: npt.NDArray[np.str_],
    collection: npt.NDArray[np.floating],
    labels: npt.NDArray[np.str_],
    fraction: float = 0.02,
) -> float:
    """Mean share, among the nearest `fraction` of a collection by cosine, of the query's label.

    `queries` [queries, dimensions] and `collection` [documents, dimensions] are vectors;
    `fraction` of the documents, rounded, at least one, are retrieved for each query. Documents
    that are equally near at the last place count by their share of what is left of the places,
    which is the mean over all ways to break the tie. A vector of zeros is as near to all.
    """
    places = max(1, round(fraction * len(collection)))
    collection = _unit(collection)
    right = np.zeros(len(queries))
    for first in range(0, len(queries), QUERIES_AT_ONCE):
        rows = slice(first, first + QUERIES_AT_ONCE)
        nearness = _unit(queries[rows]) @ collection.T  # [rows, documents]
        same = query_labels[rows, None] == labels  # [rows, documents]
        right[rows] = _right(nearness, same, places)
    return float(right.mean() / places)


def _right(
    nearness: npt.NDArray[np.floating], same: npt.NDArray[np.bool_], places: int
) -> npt.NDArray[np.float64]:
    """Documents with the right label among the `places` nearest, float64 [rows]."""
    last = -np.partition(-nearness, places - 1, axis=1)[:, places - 1 : places]  # [rows, 1]
    nearer, tied = nearness > last, nearness == last
    left = (places - nearer.sum(1)) / tied.sum(1)  # share of the tied documents with a place
    right: npt.NDArray[np.float64] = (nearer & same).sum(1) + left * (tied & same).sum(1)
    return right


def _unit(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Rows scaled to length 1; zeros stay zeros."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: npt.NDArray[np.floating] = vectors / np.where(lengths > 0, lengths, 1)
    return unit
