"""A mirror: a bundle's codes and filter fields in the memory of a process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ticketing.stores.blocks import CodeBlock, passing
from ticketing.tickets import Filters

MOST = 1 << 16
"""Maximum number of codes held, about 120 MB for a standard bundle; these are compared within
milliseconds without an index."""

SPARE = MOST // 4
"""Spare rows for changed codes; when they are used up, the present rows are moved to new memory."""

FACTS = np.dtype(
    [
        ("stamp", np.int64),
        ("whole", np.bool_),
        ("product", np.int32),
        ("status", np.int32),
        ("groups", np.int32),
        ("created", "datetime64[us]"),
        ("has_solution", np.bool_),
    ]
)
"""The data of a row beside its codes; values and sets of groups are given by number."""


@dataclass(frozen=True)
class Print:
    """Identifies a state of an index of codes: the number of documents and the sum of their random
    stamps."""

    count: int
    stamps: int


@dataclass(frozen=True)
class HeldRow:
    """A ticket's codes and filter fields; `code` is None if damaged."""

    id: str
    stamp: int
    code: bytes | None
    product: str
    status: str
    created: datetime | None
    groups: frozenset[str]
    has_solution: bool


@dataclass(frozen=True)
class Held:
    """The content of a mirror at one moment: `rows` int64 [n] of the ascending `ids` [n]. `values`
    and `sets` map values and sets of groups to numbers. `print` identifies the state of the
    index."""

    print: Print
    codes: npt.NDArray[np.uint8]
    facts: npt.NDArray[np.void]
    ids: Sequence[str]
    rows: npt.NDArray[np.int64]
    values: Mapping[str, int]
    sets: Mapping[frozenset[str], int]

    @cached_property
    def whole(self) -> CodeBlock:
        """All undamaged codes."""
        block = CodeBlock(self.codes, self.rows, self.ids)
        undamaged = self.facts["whole"][self.rows]
        if undamaged.all():
            return block
        return replace(block.chosen(np.flatnonzero(undamaged)), of=None)

    def block(self, filters: Filters) -> CodeBlock:
        """The undamaged codes of matching tickets."""
        if filters == Filters():
            return self.whole
        facts = self.facts[self.whole.live]
        columns = {name: facts[name] for name in FACTS.fields or ()}
        found = passing(filters, columns, lambda value: self.values.get(value, -1))
        if filters.groups is not None:
            seen = [not groups or bool(groups & filters.groups) for groups in list(self.sets)]
            found &= np.array(seen, bool)[facts["groups"]]
        return replace(self.whole.chosen(np.flatnonzero(found)), of=None)


class Mirror:
    """The codes of a bundle. Each row is written only once, so that blocks handed out never change.
    Only one thread may change it at a time."""

    def __init__(self) -> None:
        self._row_of: dict[str, int] = {}
        self._values: dict[str, int] = {}
        self._sets: dict[frozenset[str], int] = {}
        self._begin(width=0)
        self.held = self._held()
        """The content at the last call of `settle`."""

    @property
    def print(self) -> Print:
        """The state of the index that this content belongs to."""
        return Print(len(self._row_of), self._stamps)

    def stamps(self) -> dict[str, int]:
        """The stamp of each ticket's codes, in ascending order of id."""
        ids = sorted(self._row_of)
        rows = [self._row_of[id] for id in ids]
        return dict(zip(ids, self._facts["stamp"][rows].tolist(), strict=True))

    def put(self, row: HeldRow) -> None:
        """Store a ticket's codes, replacing older ones. Codes of another width belong to an index
        that was created anew. Raises IndexError if there is no room."""
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
            row.has_solution,
        )
        self._row_of[row.id] = at
        self._used += 1
        self._stamps += row.stamp

    def remove(self, id: str) -> None:
        """Remove a ticket's codes if there are any."""
        row = self._row_of.pop(id, None)
        if row is not None:
            self._stamps -= int(self._facts["stamp"][row])

    def settle(self) -> None:
        """Set `held` to the present content."""
        self.held = self._held()

    def _held(self) -> Held:
        ids = sorted(self._row_of)
        rows = np.fromiter(map(self._row_of.__getitem__, ids), np.int64, len(ids))
        rows.setflags(write=False)
        about = self._values, self._sets
        return Held(self.print, self._codes, self._facts, ids, rows, *about)

    def _begin(self, width: int) -> None:
        """Remove everything, and allocate memory for codes of this width; the system provides it as
        it is written."""
        self._codes = np.empty((MOST + SPARE, width), np.uint8)
        self._facts = np.empty(MOST + SPARE, FACTS)
        self._row_of = {}
        self._used = self._stamps = 0
        self.newest = -1
        """The highest sequence number of writes that was read."""

    def _move(self) -> None:
        """Move the present rows to new memory."""
        rows = list(self._row_of.values())
        codes, facts = np.empty_like(self._codes), np.empty_like(self._facts)
        codes[: len(rows)], facts[: len(rows)] = self._codes[rows], self._facts[rows]
        self._row_of = dict(zip(self._row_of, range(len(rows)), strict=True))
        self._codes, self._facts, self._used = codes, facts, len(rows)
