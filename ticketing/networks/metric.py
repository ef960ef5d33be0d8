"""Equation 1 (Gupta et al. 2018): the multi-channel, multi- and cross-level Manhattan metric.

    g(q, t) = exp(-sum_{p, r} V[p, r] * sum_c W[c] * ||c_p - c_r||_1)

Pure functions over tensors; B queries, N tickets, P query components, R ticket
components, C channels. The distances of a channel are its encoder's. A missing component drops
its pairs and the remaining V are rescaled to the same sum. Where a network has terms, a query's
component of few terms counts in part only (`networks.terms.fullness`), beside one that has more.

Then, too, sum_p U[p] * missing[p] is added to the distance: how much of a query's
component the whole ticket lacks, since what a query says may be spread over all of a ticket. U is
rescaled likewise where a component of the query is missing.
"""

import torch
from torch import Tensor


def present_pair_weights(
    pair_weights: Tensor, query_shares: Tensor, ticket_present: Tensor
) -> Tensor:
    """V for each query and ticket: [P, R], float [..., P], bool [..., R] -> [..., P, R].

    `query_shares` say in which part a component counts, from 0, missing, to 1. Each matrix [P, R]
    sums to what `pair_weights` does, or to 0 where no pair is present. The leading axes of the
    two others must broadcast.
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
