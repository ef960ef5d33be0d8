"""Postings that a process holds in memory, of codes too few for an index on disk."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ticketing.model.layout import CodeLayout
from ticketing.queries import EncodedQuery
from ticketing.retrieval.postings import Postings, add, postings_of
from ticketing.retrieval.scan import NO_SUMS
from ticketing.stores.blocks import CodeBlock

FEWEST = 1 << 11
"""Of fewer rows the terms are read faster than they are looked up."""

MORE = 1 / 8
"""What share of rows may come later before all are derived again, which takes a microsecond each;
the terms of these are read."""


@dataclass(frozen=True)
class _Held:
    """The postings of the first `rows` rows of the codes that lie beside `folder`."""

    folder: Path
    rows: int
    postings: Postings

    def holds(self, block: CodeBlock) -> bool:
        """Whether these are most rows of a block."""
        return self.folder == block.folder and len(block.codes) <= self.rows * (1 + MORE)


class HeldPostings:
    """Postings of the codes that were compared last."""

    def __init__(self, layout: CodeLayout):
        self._layout = layout
        self._last: _Held | None = None

    def shared(self, block: CodeBlock, query: EncodedQuery) -> npt.NDArray[np.uint64]:
        """What the first rows of a block share with a query, see scan_distances; of none where few
        are compared, or they are of another layout."""
        rows, width = block.codes.shape
        if len(block.live) < max(FEWEST, rows // 2) or width != self._layout.width:
            return NO_SUMS
        if block.folder is None or not self._layout.terms:
            return NO_SUMS
        held = self._last
        if held is None or not held.holds(block):
            postings = postings_of(np.asarray(block.codes), self._layout)
            held = self._last = _Held(block.folder, rows, postings)
        lanes = np.zeros(held.rows, np.uint64)
        add(held.postings, query, lanes)
        return lanes
