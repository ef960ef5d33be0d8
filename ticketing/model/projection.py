"""Projection of codes to one vector, for approximate search that does not compare all tickets.

For one query, equation 1 is a weighted sum of distances to a ticket's components. So a ticket's
vector consists of the dense codes of its components, scaled by their weights. A query's vector has,
for each ticket component, the weighted mean of the query's own components. Their Euclidean distance
ranks nearly the same tickets first. The sparse channel and the time are searched in other ways.
Both vectors are projected by random signs onto DIMS dimensions, which approximately preserves
distances (Achlioptas, "Database-friendly random projections", 2003). The result depends only on the
model and the codes and is the same on every machine.
"""

import hashlib
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ticketing.model.layout import LEVELS, CodeLayout

DIMS = 384
"""Dimensions of a vector. Measured: twice as many find hardly more and double the search time."""

MIDDLE = LEVELS / 2


class Projection:
    """Projects codes with a layout and the weights V [P, R] and W [C]."""

    def __init__(
        self,
        layout: CodeLayout,
        pair_weights: npt.NDArray[np.float32],
        channel_weights: npt.NDArray[np.float32],
    ):
        self._layout, self._pairs = layout, pair_weights
        of_channel = [channel_weights[c] * step for c, step in enumerate(layout.steps)]
        widths = [stop - start for start, stop in pairwise(layout.bounds)]
        weights = np.sqrt(pair_weights.sum(0))[:, None] * np.repeat(of_channel, widths)
        self._weights = weights / np.linalg.norm(weights) if weights.any() else None  # [R, size]

    def ticket_vectors(self, rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.int8]:
        """Vectors of tickets: rows of codes uint8 [n, width] -> int8 [n, DIMS], or [n, 0] without
        dense codes.

        A missing component is replaced by the mean of the ticket's other components.
        """
        codes = self._layout.dense(rows).astype(np.float32)
        present = (rows[:, -1:] >> np.arange(self._layout.components)) & 1  # [n, R]
        mean = _mean(codes, present)[:, None]  # [n, 1, size]
        return self._projected(np.where(present[..., None], codes, mean))

    def query_vector(
        self, codes: npt.NDArray[np.uint8], shares: npt.NDArray[np.floating]
    ) -> npt.NDArray[np.int8]:
        """Vector of a query: codes uint8 [P, size], shares float [P] -> int8 [DIMS], or [0] without
        dense codes."""
        pairs = self._pairs * shares[:, None]  # [P, R]
        pairs = np.where(pairs.any(0), pairs, shares[:, None])  # none compared: all alike
        means = np.stack([_mean(codes.astype(np.float32), weights) for weights in pairs.T])
        vector: npt.NDArray[np.int8] = self._projected(means[None])[0]  # of [R, size]
        return vector

    def _projected(self, codes: npt.NDArray[np.floating]) -> npt.NDArray[np.int8]:
        """Centre codes [n, R, size], scale them by their weights and project them: int8 [n, DIMS].

        A projected dimension has about the spread of a code.
        """
        if self._weights is None:
            return np.zeros((len(codes), 0), np.int8)
        weights = self._weights
        scaled = ((codes - MIDDLE) * weights).reshape(len(codes), weights.size).astype(np.float32)
        projected: npt.NDArray[np.float32] = scaled @ random_signs(scaled.shape[1])
        return np.rint(projected).clip(-127, 127).astype(np.int8)


def _mean(
    codes: npt.NDArray[np.float32], weights: npt.NDArray[np.floating] | npt.NDArray[np.integer]
) -> npt.NDArray[np.floating]:
    """Mean over the last axis but one: [..., X, size], weights [..., X] -> [..., size]."""
    total = np.maximum(weights.sum(-1, keepdims=True), 1e-12)
    mean: npt.NDArray[np.floating] = (codes * weights[..., None]).sum(-2) / total
    return mean


@cache
def random_signs(width: int) -> npt.NDArray[np.float32]:
    """A random matrix of 1 and -1: float32 [width, DIMS]; drawn from a hash, so it never
    changes."""
    drawn = hashlib.shake_256(b"neighbours").digest(width * DIMS // 8)
    bits = np.unpackbits(np.frombuffer(drawn, np.uint8)).reshape(width, DIMS)
    return bits.astype(np.float32) * 2 - 1
