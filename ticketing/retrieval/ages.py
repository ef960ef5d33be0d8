"""What the time between query and tickets adds to their distances, remembered for one block."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from ticketing.model.inference import Model
from ticketing.stores.blocks import CodeBlock


@dataclass(frozen=True)
class _Known:
    """When a block's tickets were created, int64 [n], and what that adds to a query of a time."""

    block: CodeBlock
    minutes: npt.NDArray[np.int64]
    time: datetime
    distances: npt.NDArray[np.float32]


class Ages:
    """What time adds to the distances of tickets. A block's minutes and what was added for the last
    query are remembered: new queries count as asked with the newest ticket, and stores hand out one
    block while nothing changes."""

    def __init__(self, model: Model):
        self._model = model
        self._last: _Known | None = None

    def distances(self, block: CodeBlock, time: datetime) -> npt.NDArray[np.float32]:
        """What is added for each of a block's tickets to a query of that time: float32 [n]."""
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
