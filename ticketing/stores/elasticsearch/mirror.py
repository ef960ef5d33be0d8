"""Codes of a bundle as a process holds them in its memory, with what they are filtered by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ticketing.stores.blocks import CodeBlock
from ticketing.tickets import Filters

MOST = 1 << 16
"""Codes that are held, some 120 MB of a standard bundle; so many are compared within milliseconds
without an index."""

SPARE = MOST // 4
"""Rows for codes that change; once they are used up the present ones move to other memory."""

FACTS = np.dtype(
    [
        ("stamp", np.int64),
        ("whole", np.bool_),
        ("product", np.int32),
        ("status", np.int32),
        ("groups", np.int32),
        ("created", "datetime64[us]"),
    ]
)
"""What is known of a row beside its code; values and sets of groups by number."""


@dataclass(frozen=True)
class Print:
    """What tells one state of an index of codes from any other: how many documents it has, and the
    sum of the numbers that were drawn for them when they were written."""

    count: int
    stamps: int


@dataclass(frozen=True)
class HeldRow:
    """A ticket's codes and what they are filtered by; `code` is None for a damaged one."""

    id: str
    stamp: int
    code: bytes | None
    product: str
    status: str
    created: datetime | None
    groups: frozenset[str]


@dataclass(frozen=True)
class Held:
    """What a mirror held at one moment: `rows` int64 [n] are those of the ascending `ids` [n]; the
    numbers of values and of sets of groups stand in `values` and, in their order, in `sets`.
    `print` says which state of an index that is."""

    print: Print
    codes: npt.NDArray[np.uint8]
    facts: npt.NDArray[np.void]
    ids: Sequence[str]
    rows: npt.NDArray[np.int64]
    values: Mapping[str, int]
    sets: Mapping[frozenset[str], int]

    @cached_property
    def whole(self) -> CodeBlock:
        """All codes that are not damaged."""
        block = CodeBlock(self.codes, self.rows, self.ids)
        undamaged = self.facts["whole"][self.rows]
        if undamaged.all():
            return block
        return replace(block.chosen(np.flatnonzero(undamaged)), of=None)

    def block(self, filters: Filters) -> CodeBlock:
        """The codes of matching tickets that are not damaged."""
        if filters == Filters():
            return self.whole
        passing = self._passing(filters, self.facts[self.whole.live])
        return replace(self.whole.chosen(np.flatnonzero(passing)), of=None)

    def _passing(self, filters: Filters, facts: npt.NDArray[np.void]) -> npt.NDArray[np.bool_]:
        """Which tickets match, by their facts [n]: bool [n]."""
        passing = np.ones(len(facts), bool)
        for name, value in (("product", filters.product), ("status", filters.status)):
            if value:
                passing &= facts[name] == self.values.get(value, -1)
        if filters.created_since:  # no time is neither since nor before another
            passing &= facts["created"] >= np.datetime64(filters.created_since)
        if filters.created_before:
            passing &= facts["created"] < np.datetime64(filters.created_before)
        if filters.groups is not None:
            seen = [not groups or bool(groups & filters.groups) for groups in list(self.sets)]
            passing &= np.array(seen, bool)[facts["groups"]]
        return passing


class Mirror:
    """The codes of a bundle, each in a row that is written once, so that whatever was handed out
    stays as it is. No two threads may change it at once."""

    def __init__(self) -> None:
        self._row_of: dict[str, int] = {}
        self._values: dict[str, int] = {}
        self._sets: dict[frozenset[str], int] = {}
        self._begin(width=0)
        self.held = self._held()
        """What there was when `settle` was last called."""

    @property
    def print(self) -> Print:
        """Which state of an index this is."""
        return Print(len(self._row_of), self._stamps)

    def stamps(self) -> dict[str, int]:
        """The stamp of each ticket's codes, ids ascending."""
        ids = sorted(self._row_of)
        rows = [self._row_of[id] for id in ids]
        return dict(zip(ids, self._facts["stamp"][rows].tolist(), strict=True))

    def put(self, row: HeldRow) -> None:
        """Hold a ticket's codes, in the place of what is held of it; codes of another width are
        those of an index that was made anew. Raises IndexError where there is no room."""
        if row.code is not None and len(row.code) != self._codes.shape[1]:
            self._begin(len(row.code))
        self.remove(row.id)
        if self._used == len(self._codes):
            self._move()
        at = self._used
        if row.code is not None:
            self._codes[at] = np.frombuffer(row.code, np.uint8)
        self._facts[at] = (
            row.stamp,
            row.code is not None,
            self._values.setdefault(row.product, len(self._values)),
            self._values.setdefault(row.status, len(self._values)),
            self._sets.setdefault(row.groups, len(self._sets)),
            np.datetime64(row.created or "NaT", "us"),
        )
        self._row_of[row.id] = at
        self._used += 1
        self._stamps += row.stamp

    def remove(self, id: str) -> None:
        """Let go of a ticket's codes, if there are any."""
        row = self._row_of.pop(id, None)
        if row is not None:
            self._stamps -= int(self._facts["stamp"][row])

    def settle(self) -> None:
        """Let `held` be what there is now."""
        self.held = self._held()

    def _held(self) -> Held:
        ids = sorted(self._row_of)
        rows = np.fromiter(map(self._row_of.__getitem__, ids), np.int64, len(ids))
        rows.setflags(write=False)
        about = self._values, self._sets
        return Held(self.print, self._codes, self._facts, ids, rows, *about)

    def _begin(self, width: int) -> None:
        """Hold nothing, in memory for codes of so many bytes, which is taken as it is written."""
        self._codes = np.empty((MOST + SPARE, width), np.uint8)
        self._facts = np.empty(MOST + SPARE, FACTS)
        self._row_of = {}
        self._used = self._stamps = 0
        self.newest = -1
        """The highest number in the sequence of writes that was looked at."""

    def _move(self) -> None:
        """Begin other memory, with the present rows alone."""
        rows = list(self._row_of.values())
        codes, facts = np.empty_like(self._codes), np.empty_like(self._facts)
        codes[: len(rows)], facts[: len(rows)] = self._codes[rows], self._facts[rows]
        self._row_of = dict(zip(self._row_of, range(len(rows)), strict=True))
        self._codes, self._facts, self._used = codes, facts, len(rows)
