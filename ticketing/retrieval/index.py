"""Approximate search in large archives: estimate all distances, then compare the best tickets
exactly.

The estimate (see `estimate`) reads at most an eighth of the codes and only selects tickets. Order,
distance and reasons always come from the exact metric. Rows that are not indexed yet are always
selected.
"""

import logging
import threading
import time
from collections.abc import Collection
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ticketing.model.inference import Model
from ticketing.queries import EncodedQuery
from ticketing.retrieval.estimate import EXCLUDED, at_rank, estimate, estimated_by
from ticketing.retrieval.held_postings import HeldPostings
from ticketing.retrieval.postings import LANES, add
from ticketing.retrieval.scan import NO_SUMS
from ticketing.retrieval.segments import SEGMENT, Derived
from ticketing.retrieval.threads import ALONE, Threads
from ticketing.stores.blocks import CodeBlock

log = logging.getLogger(__name__)

MIN_ROWS = 2 * SEGMENT
"""With fewer tickets than these, all are compared, which takes milliseconds, and there are no index
files."""

FEW = 8
"""If a filter leaves less than one in FEW rows, all that are left are compared."""

SHARE = 0.01
"""Share of tickets that are compared exactly. Measured on a million tickets, all of the ten nearest
and .9997 of the hundred nearest are among the first 1 % of the estimate; .9994 of the ten are among
the first 0.75 %."""

MIN_COMPARED = 1 << 13
"""Minimum number of tickets compared."""

MOST_COMPONENTS = LANES // 2 - 1
"""More ticket components than these do not fit into the lanes of a row."""

REST_S = 60.0
"""Seconds without indexing in the background after a file could not be written, since further work
would be lost too."""

INCLUDED = np.iinfo(np.int32).min
"""Estimate for a row that is not indexed yet."""


class Index:
    """The index of a bundle's codes. It reads segments that other processes derived, and derives
    missing ones in the background."""

    def __init__(self, model: Model):
        self._model = model
        self._derived: Derived | None = None
        self._held_postings = HeldPostings(model.layout)
        self._looking = threading.Lock()
        self._rests_until = 0.0
        self.making: threading.Thread | None = None
        """The thread that derives missing segments, or the last one."""

    def complete(self, block: CodeBlock) -> None:
        """Derive all missing segments of these codes now. If a file cannot be written, this is
        logged, and queries stay slow."""
        if derived := self._of(block):
            derived.read(block.codes)
            try:
                derived.path.mkdir(parents=True, exist_ok=True)
                while derived.lacks(block.codes) and derived.path.is_dir():  # else they are gone
                    derived.make_next(block.codes)
            except OSError as error:
                self._rests_until = time.monotonic() + REST_S
                log.warning("Queries stay slow: %s takes no files (%s).", derived.path, error)

    def damaged(self, block: CodeBlock) -> list[Path]:
        """Index files that do not fit these codes."""
        if self._of(block) is None or block.folder is None:
            return []
        derived = Derived(block.folder, self._model.layout, self._model.channel_weights)
        return derived.damaged(block.codes)

    def near(
        self,
        block: CodeBlock,
        query: EncodedQuery,
        limit: int,
        threads: Threads = ALONE,
        also: Collection[str] = (),
    ) -> CodeBlock:
        """A part of a block (SHARE) that contains the nearest tickets, and those of `also` that it
        has; a small block as a whole."""
        derived = self._ready(block)
        if derived is None:
            return block
        distances = self._estimates(derived, len(block.codes), query, threads)
        every = len(block.live) == len(distances)
        of_live = distances if every else distances[block.live]
        wanted = max(int(len(of_live) * SHARE), MIN_COMPARED, limit) + int(
            (of_live == INCLUDED).sum()
        )
        if wanted >= len(of_live):
            return block
        bound = min(int(at_rank(of_live, wanted - 1)), EXCLUDED - 1)
        chosen = (distances <= bound)[block.live]
        chosen[[place for id in also if (place := block.place(id)) is not None]] = True
        return block.chosen(np.flatnonzero(chosen))

    def shared(
        self, block: CodeBlock, query: EncodedQuery, threads: Threads = ALONE
    ) -> npt.NDArray[np.uint64]:
        """Sums of the terms that the first rows of a block share with a query, as far as they are
        indexed, see scan_distances. Empty if most rows are not compared."""
        layout = self._model.layout
        if len(block.codes) < MIN_ROWS and layout.components <= MOST_COMPONENTS:
            return self._held_postings.shared(block, query)
        derived = self._ready(block)
        if derived is None:
            return NO_SUMS
        segments = derived.segments
        lanes = np.zeros((len(segments), SEGMENT), np.uint64)
        threads.share(lambda i: add(segments[i].postings, query, lanes[i]), range(len(segments)))
        return lanes.ravel()

    def _of(self, block: CodeBlock) -> Derived | None:
        """The derived segments of these codes; None if there are few codes or they have no
        folder."""
        layout = self._model.layout
        if (
            block.folder is None
            or len(block.codes) < MIN_ROWS
            or layout.components > MOST_COMPONENTS
        ):
            return None
        with self._looking:
            if self._derived is None or self._derived.path != block.folder:
                self._derived = Derived(block.folder, layout, self._model.channel_weights)
            return self._derived

    def _ready(self, block: CodeBlock) -> Derived | None:
        """The derived segments of a block if most of its rows are compared; starts deriving missing
        ones."""
        if len(block.live) < max(MIN_ROWS, len(block.codes) // FEW):
            return None
        derived = self._of(block)
        if derived and derived.lacks(block.codes):
            with self._looking:
                derived.read(block.codes)
                if derived.lacks(block.codes) and self._may_make:
                    self.making = threading.Thread(target=self.complete, args=(block,), daemon=True)
                    self.making.start()
        return derived if derived and derived.segments else None

    @property
    def _may_make(self) -> bool:
        """Whether no thread is deriving segments now and no file was refused recently."""
        is_making = self.making is not None and self.making.is_alive()
        return not is_making and time.monotonic() >= self._rests_until

    def _estimates(
        self,
        derived: Derived,
        rows: int,
        query: EncodedQuery,
        threads: Threads,
    ) -> npt.NDArray[np.int32]:
        """Estimated distances of the first `rows` rows: int32 [rows]."""
        distances = np.full(rows, INCLUDED, np.int32)
        segments, sketcher = derived.segments, derived.sketcher
        if sketcher is None:
            return distances
        asked = estimated_by(query, self._model, sketcher)

        def part(number: int) -> None:
            segment, lanes = segments[number], np.zeros(SEGMENT, np.uint64)
            add(segment.postings, query, lanes)
            found = distances[number * SEGMENT : (number + 1) * SEGMENT]
            rows = segment.sketches, segment.patterns, segment.minutes
            estimate(*rows, lanes.view(np.uint8).reshape(SEGMENT, LANES), asked, found)

        threads.share(part, range(len(segments)))
        return distances
