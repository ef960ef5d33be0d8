"""What the time between query and tickets adds to their distances, remembered for one block."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from ticketing.model.inference import Model
from ticketing.stores.blocks import CodeBlock


@dataclass(frozen=True)
class _Known:
    block: CodeBlock
    time: datetime
    distances: npt.NDArray[np.float32]


class Ages:
    """New queries count as asked with the newest ticket, and stores hand out one block while
    nothing changes: what was added for the last query is mostly what is added for the next."""

    def __init__(self, model: Model):
        self._model = model
        self._last: _Known | None = None

    def distances(self, block: CodeBlock, time: datetime) -> npt.NDArray[np.float32]:
        """Of a block's tickets from a query of that time: float32 [n]."""
        last = self._last
        if last is None or last.block is not block or last.time != time:
            minutes = self._model.layout.minutes(block.codes, block.live)
            distances = self._model.recency.distances(time, minutes).astype(np.float32)
            last = self._last = _Known(block, time, distances)
        return last.distances
