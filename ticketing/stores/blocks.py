"""Codes as stores return them: one ticket's row, and a block for the scan."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ticketing.ids import Ids
from ticketing.tickets import Filters


class ChosenIds(Sequence[str]):
    """A selection of a sequence of ids, by index."""

    def __init__(self, ids: Sequence[str], places: npt.NDArray[np.int64]):
        self._ids, self._places = ids, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return ChosenIds(self._ids, self._places[place])
        return self._ids[int(self._places[place])]

    def at(self, places: npt.NDArray[np.int64]) -> list[str]:
        """The ids at the given indices, int64 [n]."""
        return ids_at(self._ids, self._places[places])


def ids_at(ids: Sequence[str], places: npt.NDArray[np.int64]) -> list[str]:
    """The ids at the given indices, int64 [n]."""
    return ids.at(places) if isinstance(ids, Ids | ChosenIds) else [ids[i] for i in places.tolist()]


@dataclass(frozen=True)
class CodeBlock:
    """Codes of searchable tickets, for the scan.

    `codes` uint8 [rows, width] may be a read-only memory map and may hold rows that must not be
    scored (replaced, deleted, filtered out). `live` int64 [n] lists the rows to score, in ascending
    order of ticket id, and `ids` are their ticket ids. `of` is the number of matching tickets if
    the block holds only some of them, otherwise None. `folder` is a folder for files derived from
    these rows (which never change), deleted together with them; None if there is none.
    """

    codes: npt.NDArray[np.uint8]
    live: npt.NDArray[np.int64]
    ids: Sequence[str]
    of: int | None = None
    folder: Path | None = None

    def chosen(self, places: npt.NDArray[np.int64]) -> "CodeBlock":
        """A block of the tickets at these indices, which ascend."""
        ids = ChosenIds(self.ids, places)
        return replace(self, live=self.live[places], ids=ids, of=self.of or len(self.live))

    def place(self, ticket_id: str) -> int | None:
        """Index of a ticket in `ids`, or None."""
        place = bisect_left(self.ids, ticket_id)
        return place if place < len(self.ids) and self.ids[place] == ticket_id else None


@dataclass(frozen=True)
class CodeRow:
    """One ticket's codes: `version` is the Ticket.version that was encoded, `topic` its main topic
    or None, `vector` int8 [D] its projection for approximate search."""

    ticket_id: str
    version: str
    code: bytes
    topic: int | None = None
    vector: bytes = b""


def passing(
    filters: Filters, columns: Mapping[str, npt.NDArray[Any]], number_of: Callable[[str], int]
) -> npt.NDArray[np.bool_]:
    """Which of n tickets pass the filters, except groups: bool [n].

    `columns` are `product` and `status` as numbers, `created` datetime64 (NaT if unknown) and
    `has_solution` bool, each [n]. `number_of` gives the number of a product or a status, also of an
    unknown one.
    """
    found = np.ones(len(columns["product"]), bool)
    for name, wanted in (("product", filters.product), ("status", filters.status)):
        if wanted:
            found &= columns[name] == number_of(wanted)
    if filters.created_since:  # a comparison with NaT is always False
        found &= columns["created"] >= np.datetime64(filters.created_since)
    if filters.created_before:
        found &= columns["created"] < np.datetime64(filters.created_before)
    return found & columns["has_solution"] if filters.has_solution else found
