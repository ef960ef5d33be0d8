"""Distances of texts represented by weighted terms (`encoders.terms`), in compiled code."""

from functools import partial

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ticketing.compiled import compiled
from ticketing.encoders.terms import BUCKETS, SUM
from ticketing.encoders.terms import fullness as share_by_terms
from ticketing.encoders.terms import spread as weights_by_bucket
from ticketing.nn.threads import halves

Terms = npt.NDArray[np.int32]


def spread(terms: Tensor) -> Tensor:
    """Weights by bucket: int32 [..., 2, TERMS] -> uint8 [..., BUCKETS]."""
    return torch.from_numpy(weights_by_bucket(terms.numpy()))


def fullness(terms: Tensor, full: int) -> Tensor:
    """The share with which a query's texts count, see `encoders.terms`: int32 [..., 2, TERMS] ->
    float32 [...]."""
    return torch.from_numpy(share_by_terms(terms.numpy(), full))


def distance_of(shared: Tensor) -> Tensor:
    """Distances, from 0 to 2, from the shared weights (of SUM)."""
    return 2 - 2 * shared / SUM


def matched_terms(query: Tensor, ticket: Tensor) -> Tensor:
    """Distances for B given pairs: int [B, P, 2, TERMS], [B, R, 2, TERMS] -> [B, P, R]."""
    pairs = zip(query.split(1), ticket.split(1), strict=True)
    return torch.cat([crossed_terms(one, other)[0] for one, other in pairs])


def crossed_terms(query: Tensor, ticket: Tensor) -> Tensor:
    """Distances of all queries and tickets: int [B, P, 2, TERMS], [N, R, 2, TERMS] -> [B, N, P,
    R]."""
    shared = np.zeros((len(query), len(ticket), query.shape[1], ticket.shape[1]), np.int32)
    halves(partial(_share, query.numpy(), ticket.numpy(), shared), len(query))
    return distance_of(torch.from_numpy(shared))


def missing_terms(query: Tensor, ticket: Tensor) -> Tensor:
    """The share of each query text's weight that no component of a ticket has, for all queries and
    tickets.

    int [B, P, 2, TERMS], [N, R, 2, TERMS] -> float [B, N, P], from 0 to 1; 1 for an empty text.
    """
    held = np.zeros((len(query), len(ticket), query.shape[1]), np.int32)
    buckets, bounds = _distinct(ticket.numpy())
    halves(partial(_hold, query.numpy(), buckets, bounds, held), len(query))
    return 1 - torch.from_numpy(held) / SUM


@compiled
def _share(query: Terms, ticket: Terms, shared: Terms, first: int, last: int) -> None:
    """Add the weights shared by the queries from `first` to `last` and all tickets to [B, N, P,
    R]."""
    table = np.zeros(BUCKETS, np.int32)
    for b in range(first, last):
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
def _hold(query: Terms, buckets: Terms, bounds: Terms, held: Terms, first: int, last: int) -> None:
    """Add the weights of the terms of queries from `first` to `last` that tickets have to [B, N,
    P]."""
    table = np.zeros(BUCKETS, np.int32)
    for b in range(first, last):
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
    """The distinct buckets of each ticket's terms [N, R, 2, TERMS], and their bounds [N + 1]."""
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
