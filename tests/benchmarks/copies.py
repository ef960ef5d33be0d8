"""Many tickets' codes with the statistics of an archive's, made of its own in two ways.

`repeated`: each is a ticket of the archive with three in ten of its words changed for those of
another, and its vectors moved some way to another's. `mixed`: besides, each of its components is
that of a ticket of its own. `reworded` changes a text in the same way.
"""

from collections.abc import Sequence
from random import Random

import numpy as np
import numpy.typing as npt

from ticketing.model.layout import TERM_BYTES, CodeLayout

CHANGED = 0.3
"""Share of words, and of terms, that are another ticket's."""

MOVED = (0.1, 0.5)
"""How far, between nothing and the whole way, vectors are moved to another ticket's."""

Rows = npt.NDArray[np.uint8]


def repeated(
    rows: Rows, of: npt.NDArray[np.int64], layout: CodeLayout, chance: np.random.Generator
) -> Rows:
    """Codes uint8 [n, width] of tickets like those `of` the rows int [n]."""
    return _changed(rows, rows[of], layout, chance)


def mixed(
    rows: Rows, of: npt.NDArray[np.int64], layout: CodeLayout, chance: np.random.Generator
) -> Rows:
    """Codes uint8 [n, width] of tickets whose components are those of several."""
    made = rows[of]
    for r in range(layout.components):
        other = drawn(rows, len(of), chance)
        both = has(made, r) & has(other, r)
        for span in spans(layout, r):
            made[both, span] = other[both, span]
    return _changed(rows, made, layout, chance)


def reworded(text: str, others: Sequence[str], chance: Random) -> str:
    """A text some of whose words are others."""
    if not text:
        return text
    words = text.split(" ")
    return " ".join(chance.choice(others) if chance.random() < CHANGED else w for w in words)


def _changed(rows: Rows, made: Rows, layout: CodeLayout, chance: np.random.Generator) -> Rows:
    other = drawn(rows, len(made), chance)
    way = chance.uniform(*MOVED, (len(made), 1)).astype(np.float32)
    for r in range(layout.components):
        both = has(made, r) & has(other, r)
        dense, terms = spans(layout, r)
        start, end = made[both, dense].astype(np.float32), other[both, dense]
        made[both, dense] = np.rint(start + way[both] * (end - start))
        made[both, terms] = _exchanged(made[both, terms], other[both, terms], chance)
    return made


def _exchanged(own: Rows, others: Rows, chance: np.random.Generator) -> Rows:
    """Terms some of which are others'; as they were where one would be there twice."""
    own, others = (terms.reshape(len(own), -1, TERM_BYTES) for terms in (own, others))
    swapped = (chance.random(own.shape[:2]) < CHANGED) & (own[..., 2] > 0) & (others[..., 2] > 0)
    buckets = np.where(swapped[..., None], others[..., :2], own[..., :2])
    ordered = np.sort(buckets[..., 0] + np.uint16(256) * buckets[..., 1], axis=1)
    twice = ((np.diff(ordered, axis=1) == 0) & (ordered[:, 1:] > 0)).any(1)
    found = own.copy()
    found[~twice, :, :2] = buckets[~twice]
    return found.reshape(len(own), -1)


def drawn(rows: Rows, count: int, chance: np.random.Generator) -> Rows:
    """So many of the rows, at random."""
    return rows[chance.integers(len(rows), size=count)]


def has(rows: Rows, r: int) -> npt.NDArray[np.bool_]:
    """Which rows have a component."""
    return rows[:, -1] >> r & 1 == 1


def spans(layout: CodeLayout, r: int) -> tuple[slice, slice]:
    """Where a component's vectors are in a row, and its terms."""
    size, width = int(layout.bounds[-1]), layout.terms * TERM_BYTES
    start = layout.terms_span[0] + r * width
    return slice(r * size, (r + 1) * size), slice(start, start + width)
