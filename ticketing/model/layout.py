"""The layout of a ticket's codes: channel vectors quantised to 8 bits, with one scale per channel.

A row holds, for each ticket component, the vectors of its dense channels one after the other; then,
if there is a sparse channel, the terms of each component; then the minute of the ticket's creation;
and a last byte whose bit r says whether component r is present. A difference of codes times the
channel's step is a difference of vectors, so Manhattan distances are preserved.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ticketing.encoders.terms import SUM

LEVELS = 255
MINUTE_BYTES = 4
EPOCH = datetime(1970, 1, 1)
TERM_BYTES = 3
"""Two bytes of the bucket (little-endian) and one of the weight."""


@dataclass(frozen=True)
class CodeLayout:
    """Offsets in a row of codes, and the quantisation of each channel.

    `dims`, `lows` and `steps` are by dense channel: width, value of code 0, value of one step.
    `terms` is the number of terms per component, 0 without a sparse channel.
    """

    components: int
    dims: tuple[int, ...]
    lows: tuple[float, ...]
    steps: tuple[float, ...]
    terms: int = 0

    @cached_property
    def bounds(self) -> npt.NDArray[np.int64]:
        """Offset of each channel in a component, and the component's size: int64 [C + 1]."""
        return np.cumsum([0, *self.dims])

    @property
    def width(self) -> int:
        """Bytes of a row."""
        return self.terms_span[1] + MINUTE_BYTES + 1

    @property
    def terms_span(self) -> tuple[int, int]:
        """Start and end of the terms in a row; the minute of creation begins at the end."""
        start = self.components * int(self.bounds[-1])
        return start, start + self.components * self.terms * TERM_BYTES

    def minutes(
        self, codes: npt.NDArray[np.uint8], live: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """When the tickets of live rows were created: int64 [n], 0 where unknown."""
        if not len(live):
            return np.zeros(0, np.int64)
        whole = np.ascontiguousarray(codes)
        stamps = np.ndarray(len(whole), "<u4", whole, self.terms_span[1], whole.strides[:1])
        return stamps[live].astype(np.int64)

    def dated_as(
        self, row: npt.NDArray[np.uint8], ticket: npt.NDArray[np.uint8]
    ) -> npt.NDArray[np.uint8]:
        """A row uint8 [width] with the minute of another ticket's row."""
        dated, start = row.copy(), self.terms_span[1]
        dated[start : start + MINUTE_BYTES] = ticket[start : start + MINUTE_BYTES]
        return dated

    def quantise(
        self, vectors: Sequence[npt.NDArray[np.float32]], present: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.uint8]:
        """Channel vectors [n, components, dims[c]] each, bool [n, components] -> uint8 [n,
        components, sum of dims], 0 where a component is missing."""
        codes = np.empty((*present.shape, int(self.bounds[-1])), np.uint8)
        spans = pairwise(map(int, self.bounds))
        for channel, low, step, span in zip(vectors, self.lows, self.steps, spans, strict=True):
            whole = (channel - low) / step
            np.rint(whole, out=whole)
            codes[..., slice(*span)] = whole.clip(0, LEVELS, out=whole)
        codes[~present] = 0
        return codes

    def rows(
        self,
        vectors: Sequence[npt.NDArray[np.float32]],
        present: npt.NDArray[np.bool_],
        terms: npt.NDArray[np.int32] | None = None,
        minutes: npt.NDArray[np.int64] | None = None,
    ) -> npt.NDArray[np.uint8]:
        """Rows of n tickets: uint8 [n, width].

        Channel vectors [n, R, dims[c]] each, bool [n, R], terms int [n, R, 2, T] where there are
        any, minutes int [n] from `minute_of` (0, unknown, where not given).
        """
        n = len(present)
        parts = [self.quantise(vectors, present)]  # [n, R, sum of dims]
        if terms is not None:
            buckets, weights = terms[:, :, 0], terms[:, :, 1]  # [n, R, T]
            parts.append(np.stack([buckets & 255, buckets >> 8, weights], -1).astype(np.uint8))
        stamps = np.zeros(n, "<u4") if minutes is None else minutes.astype("<u4")
        parts.append(stamps.view(np.uint8).reshape(n, MINUTE_BYTES))
        parts.append((present @ (1 << np.arange(self.components))).astype(np.uint8))  # [n]
        return np.concatenate([part.reshape(n, -1) for part in parts], axis=1)

    def channel(self, codes: npt.NDArray[np.uint8], place: int) -> npt.NDArray[np.float32]:
        """Decode a dense channel of codes uint8 [..., at least size] to vectors [...,
        dims[place]]."""
        units = codes[..., self.bounds[place] : self.bounds[place + 1]]
        vectors: npt.NDArray[np.float32] = units * np.float32(self.steps[place])
        vectors += np.float32(self.lows[place])
        return vectors

    def dense(self, rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """The dense codes of each component: uint8 [n, width] -> [n, R, size]."""
        size = int(self.bounds[-1])
        return rows[:, : self.components * size].reshape(len(rows), self.components, size)

    def kept_terms(
        self, rows: npt.NDArray[np.uint8]
    ) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
        """Buckets and weights of the terms of each component: [n, R, T] each."""
        kept = rows[:, slice(*self.terms_span)]
        kept = kept.reshape(len(rows), self.components, self.terms, TERM_BYTES)
        return kept[..., 0] + np.uint16(256) * kept[..., 1], kept[..., 2]

    def pattern_weights(
        self,
        pair_weights: npt.NDArray[np.float32],
        channel_weights: npt.NDArray[np.float32],
        query_shares: npt.NDArray[np.floating],
    ) -> npt.NDArray[np.float32]:
        """The distance per unit of code difference, by pattern of present components.

        V [P, R], W [C], query shares float [P] -> float32 [2 ** R, P, R, C], the sparse channel
        last. -1 marks pairs that are not compared because V is 0 or a component is missing. The V
        of the others are rescaled to the same sum (networks.metric.present_pair_weights).
        """
        patterns = np.arange(1 << self.components)
        present = (patterns[:, None] >> np.arange(self.components)) & 1  # [2 ** R, R]
        kept = pair_weights * query_shares[:, None] * present[:, None, :]  # [2 ** R, P, R]
        total = kept.sum((1, 2), keepdims=True)
        scaled = kept * (pair_weights.sum() / np.maximum(total, 1e-12))
        steps = [*self.steps, *([1 / SUM] if self.terms else [])]
        weights = scaled[..., None] * (channel_weights * np.asarray(steps))
        return np.where(kept[..., None] > 0, weights, -1).astype(np.float32)


def minute_of(created: datetime | None) -> int:
    """Minutes since 1970; 0 for None and for earlier times."""
    return max(int((created - EPOCH).total_seconds() // 60), 0) if created else 0


def fit_layout(
    vectors: Sequence[npt.NDArray[np.float32]], present: npt.NDArray[np.bool_], terms: int = 0
) -> CodeLayout:
    """Fit a layout to the values of the given tickets' present components.

    Channel vectors [n, R, dims[c]] each, bool [n, R]. The outermost 0.01 % of values on either side
    are clipped, so that an outlier does not make all steps coarse.
    """
    lows, steps = [], []
    for channel in vectors:
        values = channel[present]
        low, high = np.quantile(values, [1e-4, 1 - 1e-4]) if values.size else (0.0, 1.0)
        lows.append(float(low))
        steps.append(float(max(high - low, 1e-6) / LEVELS))
    dims = tuple(channel.shape[-1] for channel in vectors)
    return CodeLayout(present.shape[1], dims, tuple(lows), tuple(steps), terms)
