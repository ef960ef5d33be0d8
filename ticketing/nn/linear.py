"""A linear layer whose matrix products are divided among threads."""

from typing import Any

import torch
from torch import Tensor

from ticketing.nn.threads import halves


def linear(inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """As torch's: [n, d], [m, d], [m] -> [n, m]."""
    found: Tensor = _Linear.apply(  # type: ignore[no-untyped-call]  # torch says nothing of apply
        inputs, weight, bias
    )
    return found


class _Linear(torch.autograd.Function):
    """See linear."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(inputs, weight)
        known, turned, added = inputs.detach(), weight.detach().T, bias.detach()
        found = known.new_empty(len(inputs), len(weight))

        @torch.inference_mode()  # inference mode is set by thread
        def rows(first: int, last: int) -> None:
            torch.addmm(added, known[first:last], turned, out=found[first:last])

        halves(rows, len(inputs))
        return found

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, ...]:
        inputs, weight = (x.detach() for x in ctx.saved_tensors)
        above = gradients[0].contiguous()
        of_inputs, of_weight = torch.empty_like(inputs), torch.empty_like(weight)

        def rows(first: int, last: int) -> None:
            torch.mm(above[first:last], weight, out=of_inputs[first:last])

        def columns(first: int, last: int) -> None:
            torch.mm(above[:, first:last].T, inputs, out=of_weight[first:last])

        halves(rows, len(inputs))
        halves(columns, len(weight))
        return of_inputs, of_weight, above.sum(0)
