"""The part of the distance that depends on the time between query and ticket, cached for one
block."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from ticketing.model.inference import Model
from ticketing.stores.blocks import CodeBlock


@dataclass(frozen=True)
class _Known:
    """Cached values of a block: when its tickets were created, in minutes, int64 [n], and the time
    part of their distances to a query asked at `time`."""

    block: CodeBlock
    minutes: npt.NDArray[np.int64]
    time: datetime
    distances: npt.NDArray[np.float32]


class Ages:
    """Computes the time part of distances. The values of the last block and query time are cached:
    new queries count as asked with the newest ticket, and stores return the same block until
    something changes."""

    def __init__(self, model: Model):
        self._model = model
        self._last: _Known | None = None

    def distances(self, block: CodeBlock, time: datetime) -> npt.NDArray[np.float32]:
        """Time part of the distance of each ticket in a block to a query asked at `time`: float32
        [n]."""
        last = self._last
        if last is None or last.block is not block:
            minutes = self._model.layout.minutes(block.codes, block.live)
        elif last.time == time:
            return last.distances
        else:
            minutes = last.minutes
        distances = self._model.recency.distances(time, minutes).astype(np.float32)
        self._last = _Known(block, minutes, time, distances)
        return distances
