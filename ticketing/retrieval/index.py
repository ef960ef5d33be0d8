"""Two steps to the nearest of very many tickets: all are estimated, the best are compared.

The estimate (see `estimate`) reads an eighth of the codes or less and chooses; order, distance and
reasons always come from the exact metric. Where an index does not reach yet, rows are chosen all.
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
"""Fewer tickets than these are compared all, which takes milliseconds, and have no files."""

FEW = 8
"""Where a filter leaves less than one in so many rows, these are compared all."""

SHARE = 0.01
"""What part of the tickets is compared. Measured on a million, all of the ten nearest and .9997 of
the hundred stand among the first 1 % of the estimate, .9994 of the ten among the first 0.75 %."""

MIN_COMPARED = 1 << 13
"""Fewest that are compared."""

MOST_COMPONENTS = LANES // 2 - 1
"""More have no room in the lanes of a row."""

REST_S = 60.0
"""Seconds for which nothing is derived in the background once a file was refused: the work would be
lost again."""

INCLUDED = np.iinfo(np.int32).min
"""The estimate for a row of which nothing is derived."""


class Index:
    """What of a bundle's codes is derived so far; it reads what others derived, and derives what
    is missing in the background."""

    def __init__(self, model: Model):
        self._model = model
        self._derived: Derived | None = None
        self._held_postings = HeldPostings(model.layout)
        self._looking = threading.Lock()
        self._rests_until = 0.0
        self.making: threading.Thread | None = None
        """Who derives what is missing, or did last."""

    def complete(self, block: CodeBlock) -> None:
        """Derive, now, what is missing of these codes; where no file can be written, that is logged
        and queries stay slow."""
        if derived := self._of(block):
            derived.read(block.codes)
            try:
                derived.path.mkdir(parents=True, exist_ok=True)
                while derived.lacks(block.codes) and derived.path.is_dir():  # else it was dropped
                    derived.make_next(block.codes)
            except OSError as error:
                self._rests_until = time.monotonic() + REST_S
                log.warning("Queries stay slow: %s takes no files (%s).", derived.path, error)

    def damaged(self, block: CodeBlock) -> list[Path]:
        """Files that cannot be used with these codes, as they are now."""
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
        """The tickets of a block among which the nearest are, SHARE of them, and those of `also`
        that it holds; all of a small one."""
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
        """What the first rows of a block share with a query, as far as that is derived: see
        scan_distances; of none where most are not compared."""
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
        """Where what is derived of these codes is held; None for few codes, or of no folder."""
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
        """What there is for a block most of whose rows are compared; what is missing is begun."""
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
        """Whether nobody derives now, and a file was not refused lately."""
        is_making = self.making is not None and self.making.is_alive()
        return not is_making and time.monotonic() >= self._rests_until

    def _estimates(
        self,
        derived: Derived,
        rows: int,
        query: EncodedQuery,
        threads: Threads,
    ) -> npt.NDArray[np.int32]:
        """About how far so many rows are: int32 [rows]."""
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
