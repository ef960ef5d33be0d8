"""An LSTM trained by compiled code, over concatenated texts of different lengths.

The gate inputs of a word are computed once for all its occurrences, nothing is padded, and a step
needs no call of torch: about ten times as fast as padded batches on a CPU. (Backpropagation through
time as in Graves 2012, section 4.)
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ticketing.compiled import compiled
from ticketing.nn.compiled_lstm import add_product, flatten
from ticketing.nn.linear import linear
from ticketing.nn.settings import Pooling
from ticketing.nn.threads import halves, shared_out

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


def read_ragged(
    lstm: nn.LSTM, words: Tensor, ids: Tensor, bounds: Tensor, pooling: Pooling, way: str = "l0"
) -> Tensor:
    """Encode texts, given as rows of `words` -> one vector per text, the last or the mean of its
    states: [n, H].

    `words` [U, D] are embedded words, `ids` [steps] the rows of all texts concatenated (each of at
    least one step), and `bounds` [n + 1] the start of each text. `way` is a layer of `lstm` in one
    direction; "l0_reverse" reads backwards, so its last state is at the first word.
    """
    weights = dict(lstm.named_parameters())
    scale = _scale(lstm.hidden_size)
    bias = weights[f"bias_ih_{way}"] + weights[f"bias_hh_{way}"]
    gates = linear(words, weights[f"weight_ih_{way}"] * scale[:, None], bias * scale)
    recurrent = weights[f"weight_hh_{way}"].T * scale
    found: Tensor = _Read.apply(  # type: ignore[no-untyped-call]  # torch says nothing of apply
        gates, recurrent, ids, bounds, pooling == "mean", way.endswith("_reverse")
    )
    return found


def _scale(hidden: int) -> Tensor:
    """Factors of the gates' columns, [4 H]: see CompiledLSTM."""
    return torch.tensor([0.5, 0.5, 1.0, 0.5]).repeat_interleave(hidden)


class _Read(torch.autograd.Function):
    """Gates of words [U, 4 H] and recurrent weights [H, 4 H] -> vectors of texts [n, H]."""

    @staticmethod
    def forward(
        ctx: Any,
        gates: Tensor,
        recurrent: Tensor,
        ids: Tensor,
        bounds: Tensor,
        mean: bool,
        turned: bool,
    ) -> Tensor:
        hidden, steps = len(recurrent), len(ids)
        inner = np.empty((steps, 4 * hidden), np.float32)
        cells, states = (np.empty((steps, hidden), np.float32) for _ in range(2))
        pooled = np.zeros((len(bounds) - 1, hidden), np.float32)
        known, weights, words, starts = (
            x.detach().contiguous().numpy() for x in (gates, recurrent, ids, bounds)
        )

        def read(first: int, last: int) -> None:
            _read(known, words, starts, weights, mean, turned, first, last,
                  inner, cells, states, pooled)  # fmt: skip

        shared_out(read, starts)
        ctx.save_for_backward(recurrent, ids, bounds)
        ctx.read = inner, cells, states, mean, turned, len(gates)
        return torch.from_numpy(pooled)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        recurrent, ids, bounds = ctx.saved_tensors
        inner, cells, states, mean, turned, words = ctx.read
        back = recurrent.detach().T.contiguous().numpy()
        above, starts = gradients[0].contiguous().numpy(), bounds.numpy()
        found = np.empty_like(inner)

        def read(first: int, last: int) -> None:
            _unread(above, starts, back, mean, turned, first, last, inner, cells, found)

        shared_out(read, starts)
        known = np.zeros((words, found.shape[1]), np.float32)
        before = torch.from_numpy(_before(states, starts, turned)).T
        of_recurrent = torch.empty_like(recurrent)
        gates, places = torch.from_numpy(found), ids.numpy()

        def columns(first: int, last: int) -> None:
            torch.mm(before, gates[:, first:last], out=of_recurrent[:, first:last])
            _add_rows(known, places, found, first, last)

        halves(columns, found.shape[1])
        return torch.from_numpy(known), of_recurrent, None, None, None, None


def _before(states: Floats, bounds: Ints, turned: bool) -> Floats:
    """The state before each step, zeros before the first: [steps, H]."""
    before = np.empty_like(states)
    if turned:
        before[:-1], before[bounds[1:] - 1] = states[1:], 0
    else:
        before[1:], before[bounds[:-1]] = states[:-1], 0
    return before


@compiled
def _add_rows(sums: Floats, places: Ints, rows: Floats, first: int, last: int) -> None:
    """Add each of the rows [n, d] to the row of `sums` [m, d] at its place, in the columns from
    `first` to `last`."""
    for n in range(len(rows)):
        one, row = sums[places[n], first:last], rows[n, first:last]
        for j in range(len(row)):
            one[j] += row[j]


@compiled
def _read(
    known: Floats,
    ids: Ints,
    bounds: Ints,
    recurrent: Floats,
    mean: bool,
    turned: bool,
    first: int,
    last: int,
    inner: Floats,
    cells: Floats,
    states: Floats,
    pooled: Floats,
) -> None:
    """Read the texts from `first` to `last`: fills the gate inputs of their steps before tanh
    (`inner`), cells and states, and the texts' vectors."""
    hidden = len(recurrent)
    half = np.float32(0.5)
    for n in range(first, last):
        length = bounds[n + 1] - bounds[n]
        share = np.float32(1 / length)
        for step in range(length):
            at = bounds[n + 1] - 1 - step if turned else bounds[n] + step
            previous = at + 1 if turned else at - 1
            gates, cell, state = inner[at], cells[at], states[at]
            gates[:] = known[ids[at]]
            if step:
                add_product(gates, states[previous], recurrent)
            flatten(gates)
            for j in range(hidden):
                cell[j] = (half * gates[j] + half) * gates[2 * hidden + j]
            if step:
                before = cells[previous]
                for j in range(hidden):
                    cell[j] += (half * gates[hidden + j] + half) * before[j]
            state[:] = cell
            flatten(state)
            for j in range(hidden):
                state[j] *= half * gates[3 * hidden + j] + half
            if mean:
                for j in range(hidden):
                    pooled[n, j] += share * state[j]
            elif step == length - 1:
                pooled[n] = state


@compiled
def _unread(
    above: Floats,
    bounds: Ints,
    back: Floats,
    mean: bool,
    turned: bool,
    first: int,
    last: int,
    inner: Floats,
    cells: Floats,
    found: Floats,
) -> None:
    """Backward pass: from gradients of texts [n, H], those of the gate inputs of their steps,
    before tanh (`found`).

    `back` are the transposed recurrent weights, [4 H, H].
    """
    hidden = above.shape[1]
    half, one = np.float32(0.5), np.float32(1)
    flat = np.empty(hidden, np.float32)
    state_gradient, cell_gradient = np.empty(hidden, np.float32), np.empty(hidden, np.float32)
    nothing = np.zeros(hidden, np.float32)
    for n in range(first, last):
        length = bounds[n + 1] - bounds[n]
        share = np.float32(1 / length) if mean else one
        state_gradient[:] = 0
        cell_gradient[:] = 0
        for step in range(length - 1, -1, -1):
            at = bounds[n + 1] - 1 - step if turned else bounds[n] + step
            previous = at + 1 if turned else at - 1
            if mean or step == length - 1:
                for j in range(hidden):
                    state_gradient[j] += share * above[n, j]
            gates, before = inner[at], cells[previous] if step else nothing
            flat[:] = cells[at]
            flatten(flat)
            gradient = found[at]
            for j in range(hidden):
                taken, kept = gates[j], gates[hidden + j]
                new, shown = gates[2 * hidden + j], gates[3 * hidden + j]
                cell = cell_gradient[j] + state_gradient[j] * (half * shown + half) * (
                    one - flat[j] * flat[j]
                )
                gradient[j] = half * cell * new * (one - taken * taken)
                gradient[hidden + j] = half * cell * before[j] * (one - kept * kept)
                gradient[2 * hidden + j] = cell * (half * taken + half) * (one - new * new)
                gradient[3 * hidden + j] = (
                    half * state_gradient[j] * flat[j] * (one - shown * shown)
                )
                cell_gradient[j] = cell * (half * kept + half)
            state_gradient[:] = 0
            if step:
                add_product(state_gradient, gradient, back)
