"""Distances of texts that are weighted terms (`encoders.terms`)."""

import torch
from torch import Tensor

from ticketing.encoders.terms import BUCKETS, SUM
from ticketing.encoders.terms import spread as weights_by_bucket


def spread(terms: Tensor) -> Tensor:
    """Weights by bucket: int32 [..., 2, TERMS] -> uint8 [..., BUCKETS]."""
    return torch.from_numpy(weights_by_bucket(terms.numpy()))


def distance_of(shared: Tensor) -> Tensor:
    """The distance, from 0 to 2, of texts whose weights share so much of SUM."""
    return 2 - 2 * shared / SUM


def matched_terms(query: Tensor, ticket: Tensor) -> Tensor:
    """Distances for B given pairs: int [B, P, 2, TERMS], [B, R, 2, TERMS] -> [B, P, R]."""
    table = spread(query)  # [B, P, BUCKETS]
    buckets, weights = ticket.unbind(-2)  # [B, R, TERMS]
    pairs = (len(query), query.shape[1], *buckets.shape[1:])  # B, P, R, TERMS
    found = table.gather(-1, buckets.long().flatten(1).unsqueeze(1).expand(-1, pairs[1], -1))
    return distance_of(torch.minimum(found.reshape(pairs), weights.unsqueeze(1)).sum(-1))


def crossed_terms(query: Tensor, ticket: Tensor) -> Tensor:
    """Distances, each with each: int [B, P, 2, TERMS], [N, R, 2, TERMS] -> [B, N, P, R]."""
    buckets, weights = ticket.unbind(-2)  # [N, R, TERMS]
    weights = weights.to(torch.uint8)
    shared = torch.stack(
        [
            torch.stack(
                [
                    torch.minimum(table[buckets.long()], weights).sum(-1)  # [N, R]
                    for table in spread(one)
                ],
                -2,
            )  # [N, P, R]
            for one in query
        ]
    )
    return distance_of(shared)


def missing_terms(query: Tensor, ticket: Tensor) -> Tensor:
    """What share of each query text's weight no component of a ticket holds, each with each.

    int [B, P, 2, TERMS], [N, R, 2, TERMS] -> float [B, N, P], from 0 to 1; 1 for an empty text.
    """
    buckets = ticket[:, :, 0].flatten(1).long()  # [N, R * TERMS]
    places = torch.zeros(BUCKETS, dtype=torch.long)
    missing = []
    for text in query:  # [P, 2, TERMS]
        distinct = text[:, 0].unique().long()
        distinct = distinct[distinct > 0]
        places[distinct] = torch.arange(1, len(distinct) + 1)
        held = torch.zeros(len(ticket), len(distinct) + 1).scatter_(1, places[buckets], 1.0)
        places[distinct] = 0
        missing.append(1 - held[:, 1:] @ (spread(text)[:, distinct].float() / SUM).T)  # [N, P]
    return torch.stack(missing)
