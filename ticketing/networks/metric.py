"""Equation 1 (Gupta et al. 2018): the multi-channel, multi- and cross-level Manhattan metric.

    g(q, t) = exp(-sum_{p, r} V[p, r] * sum_c W[c] * ||c_p - c_r||_1)

Pure functions over tensors, with B queries, N tickets, P query components, R ticket components and
C channels. A channel's distances come from its encoder. The pairs of a missing component are left
out, and the remaining V are rescaled to the same sum. If a network has terms, a query component
with few terms counts only in part (`networks.terms.fullness`) beside one with more.

With terms, sum_p U[p] * missing[p] is added to the distance: the share of a query component that
the whole ticket lacks, since the query's words may be spread over all of a ticket. U is also
rescaled if a component of the query is missing.
"""

import torch
from torch import Tensor


def present_pair_weights(
    pair_weights: Tensor, query_shares: Tensor, ticket_present: Tensor
) -> Tensor:
    """V for each query and ticket: [P, R], float [..., P], bool [..., R] -> [..., P, R].

    `query_shares` are the shares with which components count, from 0 (missing) to 1. Each matrix
    [P, R] has the sum of `pair_weights`, or 0 if no pair is present. The leading axes of the two
    others must broadcast.
    """
    both = query_shares.unsqueeze(-1) * ticket_present.unsqueeze(-2)  # [..., P, R]
    kept = pair_weights * both  # [..., P, R]
    total = kept.sum((-2, -1), keepdim=True)  # [..., 1, 1]
    return kept * (pair_weights.sum() / total.clamp_min(1e-12))


def present_coverage_weights(coverage_weights: Tensor, query_shares: Tensor) -> Tensor:
    """U for each query: [P], float [..., P] -> [..., P], rescaled to the same sum or 0."""
    kept = coverage_weights * query_shares  # [..., P]
    return kept * (coverage_weights.sum() / kept.sum(-1, keepdim=True).clamp_min(1e-12))


def distance_parts(distances: Tensor, pair_weights: Tensor, channel_weights: Tensor) -> Tensor:
    """Every term of equation 1: [..., P, R, C], [..., P, R], [C] -> [..., P, R, C]."""
    return distances * pair_weights.unsqueeze(-1) * channel_weights


def similarity(parts: Tensor) -> Tensor:
    """g from its parts: [..., P, R, C] -> [...]."""
    return torch.exp(-parts.sum((-3, -2, -1)))
