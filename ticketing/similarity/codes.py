"""The bytes of a ticket: channel vectors quantised to 8 bits with one scale per channel.

A row holds, for each ticket component, its channel vectors one after the other, and a last
byte whose bit r says whether component r is present. Differences of codes times the
channel's step are differences of vectors, so Manhattan distance survives quantising.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

LEVELS = 255


@dataclass(frozen=True)
class CodeLayout:
    """Where things stand in a row, and what a step of each channel is worth.

    `dims`, `lows` and `steps` are by channel: width, value of code 0, value of one step.
    """

    components: int
    dims: tuple[int, ...]
    lows: tuple[float, ...]
    steps: tuple[float, ...]

    @cached_property
    def bounds(self) -> np.ndarray:
        """Where each channel starts inside a component, and the component's size: int64 [C + 1]."""
        return np.cumsum([0, *self.dims])

    @property
    def width(self) -> int:
        """Bytes of a row."""
        return self.components * int(self.bounds[-1]) + 1

    def quantise(self, vectors: list[np.ndarray]) -> np.ndarray:
        """Channel vectors [n, components, dims[c]] each -> uint8 [n, components, sum of dims]."""
        scaled = [
            np.rint((channel - low) / step)
            for channel, low, step in zip(vectors, self.lows, self.steps, strict=True)
        ]
        return np.clip(np.concatenate(scaled, axis=-1), 0, LEVELS).astype(np.uint8)

    def rows(self, vectors: list[np.ndarray], present: np.ndarray) -> np.ndarray:
        """Rows of n tickets: [n, R, dims[c]] each and bool [n, R] -> uint8 [n, width]."""
        codes = self.quantise(vectors) * present[..., None]  # [n, R, sum of dims]
        flat = codes.reshape(len(codes), self.width - 1).astype(np.uint8)
        pattern = present @ (1 << np.arange(self.components))  # [n]
        return np.concatenate([flat, pattern.astype(np.uint8)[:, None]], axis=1)

    def pattern_weights(
        self, pair_weights: np.ndarray, channel_weights: np.ndarray, query_present: np.ndarray
    ) -> np.ndarray:
        """What one unit of code difference adds to the distance, by pattern of present components.

        V [P, R], W [C], bool [P] -> float32 [2 ** R, P, R, C]; -1 marks pairs that are not
        compared because V is 0 or a component is missing; the others' V are rescaled to the
        same sum (similarity.metric.present_pair_weights).
        """
        patterns = np.arange(1 << self.components)
        present = (patterns[:, None] >> np.arange(self.components)) & 1  # [2 ** R, R]
        kept = pair_weights * query_present[:, None] * present[:, None, :]  # [2 ** R, P, R]
        total = kept.sum((1, 2), keepdims=True)
        scaled = kept * (pair_weights.sum() / np.maximum(total, 1e-12))
        weights = scaled[..., None] * (channel_weights * np.asarray(self.steps))
        return np.where(kept[..., None] > 0, weights, -1).astype(np.float32)


def fit_layout(vectors: list[np.ndarray], present: np.ndarray) -> CodeLayout:
    """A layout whose steps span what the given tickets' present components use.

    Channel vectors [n, R, dims[c]] each, bool [n, R]. The outermost 0.01 % of values on
    either side are clipped, so that one outlier does not coarsen all others.
    """
    lows, steps = [], []
    for channel in vectors:
        values = channel[present]
        low, high = np.quantile(values, [1e-4, 1 - 1e-4]) if values.size else (0.0, 1.0)
        lows.append(float(low))
        steps.append(float(max(high - low, 1e-6) / LEVELS))
    dims = tuple(channel.shape[-1] for channel in vectors)
    return CodeLayout(present.shape[1], dims, tuple(lows), tuple(steps))
