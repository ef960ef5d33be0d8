"""Manhattan distances between all vectors of two sets, with gradients, in compiled code."""

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ticketing.compiled import compiled
from ticketing.nn.threads import halves

Floats = npt.NDArray[np.float32]


def crossed_manhattan(query: Tensor, ticket: Tensor, compared: Tensor) -> Tensor:
    """L1 distances between all queries and tickets: [B, P, D], [N, R, D] -> [B, N, P, R].

    Pairs for which bool `compared` [P, R] is False are left at 0.
    """
    apart: Tensor = _Crossed.apply(  # type: ignore[no-untyped-call]  # torch says nothing of apply
        query, ticket, compared
    )
    return apart


class _Crossed(torch.autograd.Function):
    """See crossed_manhattan."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, ticket: Tensor, compared: Tensor) -> Tensor:
        ctx.save_for_backward(query, ticket, compared)
        asked, found, pairs = (x.detach().contiguous().numpy() for x in (query, ticket, compared))
        turned = np.ascontiguousarray(found.transpose(1, 2, 0))  # [R, D, N]
        apart = np.zeros((*pairs.shape, len(asked), len(found)), np.float32)  # [P, R, B, N]
        halves(partial(_apart, asked, turned, pairs, apart), len(asked))
        return torch.from_numpy(apart).permute(2, 3, 0, 1)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        query, ticket, compared = ctx.saved_tensors
        asked, found, pairs = (x.detach().contiguous().numpy() for x in (query, ticket, compared))
        above = gradients[0].permute(2, 3, 0, 1).contiguous().numpy()
        of_query, of_ticket = np.zeros_like(asked), np.zeros_like(found)
        halves(partial(_pull, asked, found, pairs, above, of_query, of_ticket), asked.shape[2])
        return torch.from_numpy(of_query), torch.from_numpy(of_ticket), None


@compiled
def _apart(
    query: Floats,
    turned: Floats,
    pairs: npt.NDArray[np.bool_],
    apart: Floats,
    first: int,
    last: int,
) -> None:
    """Add distances to [P, R, B, N], for the queries [B, P, D] from `first` to `last` and tickets
    [R, D, N]."""
    for p in range(pairs.shape[0]):
        for r in range(pairs.shape[1]):
            if pairs[p, r]:
                for b in range(first, last):
                    sums, one = apart[p, r, b], query[b, p]
                    for d in range(len(one)):
                        value, row = one[d], turned[r, d]
                        for n in range(len(sums)):
                            sums[n] += abs(value - row[n])


@compiled
def _pull(
    query: Floats,
    ticket: Floats,
    pairs: npt.NDArray[np.bool_],
    above: Floats,
    of_query: Floats,
    of_ticket: Floats,
    first: int,
    last: int,
) -> None:
    """Gradients of [B, P, D] and [N, R, D] from the gradients of the distances [P, R, B, N], for
    the dimensions from `first` to `last`."""
    nothing = np.float32(0)
    for p in range(pairs.shape[0]):
        for r in range(pairs.shape[1]):
            if pairs[p, r]:
                for b in range(len(query)):
                    one, mine = query[b, p, first:last], of_query[b, p, first:last]
                    for n in range(len(ticket)):
                        pull = above[p, r, b, n]
                        if pull == nothing:
                            continue
                        other, theirs = ticket[n, r, first:last], of_ticket[n, r, first:last]
                        for d in range(len(one)):
                            apart = one[d] - other[d]
                            pulled = pull if apart > nothing else -pull
                            pulled = nothing if apart == nothing else pulled
                            mine[d] += pulled
                            theirs[d] -= pulled
