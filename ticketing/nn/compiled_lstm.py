"""A trained LSTM in compiled code. For short texts, torch's overhead would take most of the time.

All sums are added in a fixed order, so a text's states are bitwise the same whatever else is read
with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled
from ticketing.nn.settings import Pooling

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

_SATURATED = 7.90531110763549805
"""tanh is 1 in single precision from here on."""


@dataclass(frozen=True)
class CompiledLSTM:
    """One LSTM layer in one direction.

    `inputs` [D, 4 H], `bias` [4 H] and `recurrent` [H, 4 H] are torch's weights transposed. The
    columns of the three logistic gates are halved, since logistic(x) = (1 + tanh(x / 2)) / 2.
    """

    inputs: Floats
    bias: Floats
    recurrent: Floats

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], which: str = "l0") -> "CompiledLSTM":
        """A layer from the state of torch's LSTM; `which` is "l0", "l0_reverse", "l1" and so on."""
        recurrent = arrays[f"weight_hh_{which}"].T
        hidden = len(recurrent)
        halves = np.repeat(np.array([0.5, 0.5, 1.0, 0.5], np.float32), hidden)  # i, f, g, o
        bias = arrays[f"bias_ih_{which}"] + arrays[f"bias_hh_{which}"]
        inputs = arrays[f"weight_ih_{which}"].T
        return cls(*(np.ascontiguousarray(x * halves) for x in (inputs, bias, recurrent)))

    def gates(self, vectors: Floats, first: int = 0) -> Floats:
        """Gate inputs for vectors that hold the dimensions from `first` on: [n, d] -> [n, 4 H]."""
        rows = self.inputs[first : first + vectors.shape[1]]
        return affine(np.ascontiguousarray(vectors), rows, self.bias)

    def states(
        self,
        known: Floats,
        ids: Ints,
        bounds: Ints,
        others: Floats | None = None,
        turned: bool = False,
    ) -> Floats:
        """The states after each step of n texts, concatenated in `ids` [steps] with bounds [n + 1].

        The gate inputs of a step are a row of `known` [V, 4 H] or, for ids from V on, of `others`.
        `turned` reads backwards. Returns [steps, H], in the order of `ids`.
        """
        rest = np.empty((0, known.shape[1]), np.float32) if others is None else others
        states = np.empty((len(ids), len(self.recurrent)), np.float32)
        _read(known, rest, ids, bounds, self.recurrent, turned, states)
        return states


def pooled(states: Floats, bounds: Ints, pooling: Pooling) -> Floats:
    """One vector for each text (of at least one step): the last or the mean of its states -> [n,
    H]."""
    if pooling == "last":
        return states[bounds[1:] - 1]
    lengths = np.diff(bounds).astype(np.float32)
    sums: Floats = np.add.reduceat(states, bounds[:-1], axis=0)
    return sums / lengths[:, None]


@compiled
def affine(vectors: Floats, weights: Floats, bias: Floats) -> Floats:
    """Products of vectors [n, d] with weights [d, m], and the bias [m] added: -> [n, m]."""
    found = np.empty((len(vectors), len(bias)), np.float32)
    for n in range(len(vectors)):
        found[n] = bias
        add_product(found[n], vectors[n], weights)
    return found


@compiled
def add_product(sums: Floats, vector: Floats, weights: Floats) -> None:
    """Add a vector [d] times weights [d, m] to sums [m], four rows at a time."""
    k = 0
    while k + 4 <= len(vector):
        a, b, c, d = vector[k], vector[k + 1], vector[k + 2], vector[k + 3]
        one, two, three, four = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        for j in range(len(sums)):
            sums[j] = sums[j] + a * one[j] + b * two[j] + c * three[j] + d * four[j]
        k += 4
    while k < len(vector):
        a, one = vector[k], weights[k]
        for j in range(len(sums)):
            sums[j] += a * one[j]
        k += 1


@compiled
def flatten(values: Floats) -> None:
    """tanh of each value, in place: the rational approximation of Eigen and XLA, with a relative
    error of about 1e-7."""
    for j in range(len(values)):
        x = min(max(values[j], np.float32(-_SATURATED)), np.float32(_SATURATED))
        y = x * x
        above = y * np.float32(-2.76076847742355e-16) + np.float32(2.00018790482477e-13)
        above = y * above + np.float32(-8.60467152213735e-11)
        above = y * above + np.float32(5.12229709037114e-08)
        above = y * above + np.float32(1.48572235717979e-05)
        above = y * above + np.float32(6.37261928875436e-04)
        above = y * above + np.float32(4.89352455891786e-03)
        below = y * np.float32(1.19825839466702e-06) + np.float32(1.18534705686654e-04)
        below = y * below + np.float32(2.26843463243900e-03)
        below = y * below + np.float32(4.89352518554385e-03)
        values[j] = x * above / below


@compiled
def _read(
    known: Floats,
    others: Floats,
    ids: Ints,
    bounds: Ints,
    recurrent: Floats,
    turned: bool,
    states: Floats,
) -> None:
    """See CompiledLSTM.states."""
    hidden = len(recurrent)
    half = np.float32(0.5)
    gates, cell = np.empty(4 * hidden, np.float32), np.empty(hidden, np.float32)
    flat = np.empty(hidden, np.float32)
    for n in range(len(bounds) - 1):
        cell[:] = 0
        first, last = bounds[n], bounds[n + 1] - 1
        for step in range(bounds[n + 1] - bounds[n]):
            at = last - step if turned else first + step
            id = ids[at]
            gates[:] = known[id] if id < len(known) else others[id - len(known)]
            if step:
                add_product(gates, states[at + 1] if turned else states[at - 1], recurrent)
            flatten(gates)
            for j in range(hidden):
                kept = half * gates[hidden + j] + half
                taken = half * gates[j] + half
                cell[j] = kept * cell[j] + taken * gates[2 * hidden + j]
                flat[j] = cell[j]
            flatten(flat)
            state = states[at]
            for j in range(hidden):
                state[j] = (half * gates[3 * hidden + j] + half) * flat[j]
