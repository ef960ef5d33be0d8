"""Postings held in memory, for codes too few to be indexed on disk."""

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
"""Below this number of rows, reading the terms from the codes is faster than using postings."""

MORE = 1 / 8
"""Share of new rows after which all postings are derived again, at about a microsecond per row.
Until then, the terms of new rows are read from the codes."""


@dataclass(frozen=True)
class _Held:
    """The postings of the first `rows` rows of the codes in `folder`."""

    folder: Path
    rows: int
    postings: Postings

    def holds(self, block: CodeBlock) -> bool:
        """Whether these postings cover most rows of a block."""
        return self.folder == block.folder and len(block.codes) <= self.rows * (1 + MORE)


class HeldPostings:
    """Postings of the codes compared last."""

    def __init__(self, layout: CodeLayout):
        self._layout = layout
        self._last: _Held | None = None

    def shared(self, block: CodeBlock, query: EncodedQuery) -> npt.NDArray[np.uint64]:
        """Sums of the terms that the first rows of a block share with a query, see scan_distances.
        Empty if only few rows are compared, or they have another layout."""
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
