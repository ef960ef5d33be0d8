"""One vector a text, for an index that finds near tickets without comparing with all.

Equation 1 for one query is, over its pairs, a weighted sum of distances to a ticket's components.
So a ticket's vector is its components' dense codes side by side, each scaled by what its
differences weigh, and a query's vector stands, for each ticket component, at the weighted mean
of the query's own. Their Euclidean distance leads to nearly the same tickets; channel L and the
time are left to other ways of finding. Both are projected by random signs onto DIMS dimensions,
which keeps distances nearly (Achlioptas, "Database-friendly random projections", 2003). All of
it follows from the model and the codes, on every machine alike.
"""

import hashlib
from functools import cache
from itertools import pairwise

import numpy as np

from ticketing.model.inference import Model
from ticketing.model.layout import LEVELS, QueryCode

DIMS = 384
"""Of a vector; measured, twice as many find hardly more, and cost an index twice the time."""

MIDDLE = LEVELS / 2


def ticket_vectors(model: Model, rows: np.ndarray) -> np.ndarray:
    """Rows of codes uint8 [n, width] -> int8 [n, DIMS], or [n, 0] of a model without dense codes.

    A missing component lies where the ticket's other ones do on average.
    """
    layout = model.layout
    size, components = int(layout.bounds[-1]), layout.components
    codes = rows[:, : components * size].reshape(-1, components, size).astype(np.float32)
    present = (rows[:, -1:] >> np.arange(components)) & 1  # [n, R]
    mean = _mean(codes, present)[:, None]  # [n, 1, size]
    return _projected(model, np.where(present[..., None], codes, mean))


def query_vector(model: Model, query: QueryCode) -> np.ndarray:
    """A query's codes -> int8 [DIMS], or [0] of a model without dense codes."""
    pairs = _pair_weights(model) * query.present[:, None]  # [P, R]
    pairs = np.where(pairs.any(0), pairs, query.present[:, None])  # none compared: all alike
    codes = query.codes.astype(np.float32)
    means = np.stack([_mean(codes, weights) for weights in pairs.T])  # [R, size]
    return _projected(model, means[None])[0]


def _mean(codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean over the last axis but one: [..., X, size], weights [..., X] -> [..., size]."""
    total = np.maximum(weights.sum(-1, keepdims=True), 1e-12)
    return (codes * weights[..., None]).sum(-2) / total


def _projected(model: Model, codes: np.ndarray) -> np.ndarray:
    """Codes [n, R, size], about their middle, by what they weigh: int8 [n, DIMS].

    Each of the new dimensions is spread as a code is.
    """
    layout = model.layout
    channels = model.network.channel_weights.detach().numpy()
    of_channel = [channels[c] * step for c, step in enumerate(layout.steps)]
    widths = [stop - start for start, stop in pairwise(layout.bounds)]
    weights = np.sqrt(_pair_weights(model).sum(0))[:, None] * np.repeat(of_channel, widths)
    if not weights.any():
        return np.zeros((len(codes), 0), np.int8)
    weights = weights / np.linalg.norm(weights)  # [R, size]
    scaled = ((codes - MIDDLE) * weights).reshape(len(codes), weights.size).astype(np.float32)
    return np.rint(scaled @ _signs(scaled.shape[1])).clip(-127, 127).astype(np.int8)


@cache
def _signs(width: int) -> np.ndarray:
    """1 and -1 at random: float32 [width, DIMS]; drawn from a hash, they are the same for ever."""
    drawn = hashlib.shake_256(b"neighbours").digest(width * DIMS // 8)
    bits = np.unpackbits(np.frombuffer(drawn, np.uint8)).reshape(width, DIMS)
    return bits.astype(np.float32) * 2 - 1


def _pair_weights(model: Model) -> np.ndarray:
    return model.network.pair_weights.detach().numpy()  # [P, R]
