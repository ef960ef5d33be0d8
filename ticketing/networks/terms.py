"""Distances of texts that are weighted terms (`encoders.terms`), by compiled code."""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ticketing.compiled import compiled
from ticketing.encoders.terms import BUCKETS, SUM
from ticketing.encoders.terms import spread as weights_by_bucket

Terms = npt.NDArray[np.int32]


def spread(terms: Tensor) -> Tensor:
    """Weights by bucket: int32 [..., 2, TERMS] -> uint8 [..., BUCKETS]."""
    return torch.from_numpy(weights_by_bucket(terms.numpy()))


def distance_of(shared: Tensor) -> Tensor:
    """The distance, from 0 to 2, of texts whose weights share so much of SUM."""
    return 2 - 2 * shared / SUM


def matched_terms(query: Tensor, ticket: Tensor) -> Tensor:
    """Distances for B given pairs: int [B, P, 2, TERMS], [B, R, 2, TERMS] -> [B, P, R]."""
    pairs = zip(query.split(1), ticket.split(1), strict=True)
    return torch.cat([crossed_terms(one, other)[0] for one, other in pairs])


def crossed_terms(query: Tensor, ticket: Tensor) -> Tensor:
    """Distances, each with each: int [B, P, 2, TERMS], [N, R, 2, TERMS] -> [B, N, P, R]."""
    shared = np.zeros((len(query), len(ticket), query.shape[1], ticket.shape[1]), np.int32)
    _share(query.numpy(), ticket.numpy(), np.zeros(BUCKETS, np.int32), shared)
    return distance_of(torch.from_numpy(shared))


def missing_terms(query: Tensor, ticket: Tensor) -> Tensor:
    """What share of each query text's weight no component of a ticket holds, each with each.

    int [B, P, 2, TERMS], [N, R, 2, TERMS] -> float [B, N, P], from 0 to 1; 1 for an empty text.
    """
    held = np.zeros((len(query), len(ticket), query.shape[1]), np.int32)
    buckets, bounds = _distinct(ticket.numpy())
    _hold(query.numpy(), buckets, bounds, np.zeros(BUCKETS, np.int32), held)
    return 1 - torch.from_numpy(held) / SUM


@compiled
def _share(query: Terms, ticket: Terms, table: Terms, shared: Terms) -> None:
    """Add up what texts' weights share, [B, N, P, R]; `table` [BUCKETS] is blank."""
    for b in range(query.shape[0]):
        for p in range(query.shape[1]):
            terms = query[b, p]
            for k in range(terms.shape[1]):
                table[terms[0, k]] = terms[1, k]
            for n in range(ticket.shape[0]):
                for r in range(ticket.shape[1]):
                    found = ticket[n, r]
                    for k in range(found.shape[1]):
                        if found[1, k] == 0:
                            break
                        shared[b, n, p, r] += min(table[found[0, k]], found[1, k])
            for k in range(terms.shape[1]):
                table[terms[0, k]] = 0


@compiled
def _hold(query: Terms, buckets: Terms, bounds: Terms, table: Terms, held: Terms) -> None:
    """Add up the weights of queries' terms that tickets hold, [B, N, P]; `table` is blank."""
    for b in range(query.shape[0]):
        for p in range(query.shape[1]):
            terms = query[b, p]
            for k in range(terms.shape[1]):
                table[terms[0, k]] = terms[1, k]
            for n in range(len(bounds) - 1):
                for i in range(bounds[n], bounds[n + 1]):
                    held[b, n, p] += table[buckets[i]]
            for k in range(terms.shape[1]):
                table[terms[0, k]] = 0


@compiled
def _distinct(ticket: Terms) -> tuple[Terms, Terms]:
    """The buckets of each ticket's terms [N, R, 2, TERMS], each once, and their bounds [N + 1]."""
    buckets = np.empty(ticket.shape[0] * ticket.shape[1] * ticket.shape[3], np.int32)
    bounds = np.zeros(ticket.shape[0] + 1, np.int32)
    seen = np.full(BUCKETS, -1, np.int32)
    count = 0
    for n in range(ticket.shape[0]):
        for r in range(ticket.shape[1]):
            for k in range(ticket.shape[3]):
                bucket = ticket[n, r, 0, k]
                if bucket and seen[bucket] != n:
                    seen[bucket] = n
                    buckets[count] = bucket
                    count += 1
        bounds[n + 1] = count
    return buckets[:count], bounds
