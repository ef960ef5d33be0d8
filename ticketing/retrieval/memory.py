"""Tickets and their codes in memory, without a store, for evaluation and calibration."""

import os
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from ticketing.batches import batches
from ticketing.ids import Ids
from ticketing.model.inference import Model
from ticketing.model.layout import minute_of
from ticketing.stores.blocks import ChosenIds, CodeBlock
from ticketing.stores.protocols import DatedTickets, RankedTickets
from ticketing.tickets import Filters, Label, Query, Ticket, TicketList, queries_of
from ticketing.times import just_after, moment_of, plausible_until

ENCODED_AT_ONCE = 512


class TicketsInMemory(DatedTickets):
    """Tickets in ascending order of id, accessible by id and date."""

    def __init__(self, tickets: Iterable[Ticket], kept: Collection[str] | None = None):
        """With `kept`, tickets whose ids are not in it are held only with id and date."""
        self._tickets: dict[str, Ticket] = {}
        minutes, created = array("q"), array("q")

        def read() -> Iterator[str]:
            for ticket in tickets:
                minutes.append(minute_of(ticket.created))
                created.append(moment_of(ticket.created))
                if kept is None or ticket.id in kept:
                    self._tickets[ticket.id] = ticket
                yield ticket.id

        self.ids, self._given = Ids.of(read()).in_order()
        self._minutes = np.array(minutes)[self._given]
        self._created = np.array(created).view("datetime64[us]")[self._given]

    @cached_property
    def id_array(self) -> npt.NDArray[np.object_]:
        """`ids` as an array [n]."""
        return np.array([*self.ids], object)

    def get_tickets(self, ids: Sequence[str]) -> dict[str, Ticket]:
        """The existing tickets among `ids`, by id."""
        return {id: self._tickets[id] for id in ids if id in self._tickets}

    def newest(self, filters: Filters = Filters()) -> datetime | None:
        """Date of the newest ticket created before the filters' date and not after tomorrow."""
        created = self._created[self.live(filters)]
        dated = created[created < np.datetime64(plausible_until())]  # NaT is less than nothing
        return dated.max().item() if len(dated) else None

    def minutes(self, filters: Filters = Filters(), but: str = "") -> npt.NDArray[np.int64]:
        """Creation times of the tickets of `live`: minutes since 1970, 0 for no date."""
        return self._minutes[self.live(filters, but)]

    def live(self, filters: Filters = Filters(), but: str = "") -> npt.NDArray[np.int64]:
        """Indices of the tickets created before the filters' date, if there is one, without the
        ticket `but`, which is the query."""
        live = np.ones(len(self.ids), dtype=bool)
        if filters.created_before:
            live = self._created < np.datetime64(filters.created_before, "us")
        if (own := self.ids.place(but)) is not None:
            live[own] = False
        return np.flatnonzero(live)

    def __iter__(self) -> Iterator[Ticket]:
        return (self._tickets[id] for id in self.ids if id in self._tickets)


class EncodedTickets(TicketsInMemory, RankedTickets):
    """Tickets and their codes, with those parts of a store's interface that a Recommender needs.

    `codes` uint8 [n, width] are in the order of the given tickets. With `rows` int64 [n], the codes
    are [m, width], and `rows` gives the row of each ticket.
    """

    def __init__(
        self,
        tickets: Iterable[Ticket],
        codes: npt.NDArray[np.uint8],
        kept: Collection[str] | None = None,
        rows: npt.NDArray[np.int64] | None = None,
    ):
        super().__init__(tickets, kept)
        self._codes = codes
        self._rows = self._given if rows is None else rows[self._given]

    def change(self, tickets: Sequence[Ticket], codes: npt.NDArray[np.uint8]) -> None:
        """Replace the codes of present tickets by uint8 [n, width]."""
        places = [bisect_left(self.ids, ticket.id) for ticket in tickets]
        self._codes[self._rows[places]] = codes

    def count_tickets(self, filters: Filters = Filters()) -> int:
        """Number of tickets that match."""
        return len(self.live(filters))

    def naming(
        self, keys: Collection[str], filters: Filters = Filters(), limit: int = 10
    ) -> dict[str, list[str]]:
        """Always empty: only the ranking by the model is evaluated."""
        return {}

    def codes(self, bundle_id: str, filters: Filters = Filters()) -> CodeBlock:
        """Codes of the tickets of `live`."""
        live = self.live(filters)
        return CodeBlock(self._codes, self._rows[live], ChosenIds(self.ids, live))


def encoded(
    model: Model,
    tickets: TicketList,
    name: str,
    kept: Collection[str] | None = None,
    folder: Path | None = None,
    on_step: Callable[[], object] = lambda: None,
) -> EncodedTickets:
    """Encode tickets; `name` is shown beside the progress. For `kept` see TicketsInMemory.

    The codes are memory-mapped from an unnamed temporary file in `folder` (default: the system's
    folder for these). `on_step` is called before each batch; an exception from it ends the work.
    """
    shape = max(len(tickets), 1), model.layout.width  # an empty file cannot be mapped
    with TemporaryFile(dir=folder) as file:
        # Allocate now: a full disk raises an error here, but kills a process that writes to a map.
        os.posix_fallocate(file.fileno(), 0, shape[0] * shape[1])
        codes = np.memmap(file, np.uint8, "r+", shape=shape)

    def read() -> Iterator[Ticket]:
        first = 0
        with tqdm(total=len(tickets), desc=f"{name}: encoding", unit="ticket", leave=False) as bar:
            for some in batches(tickets, ENCODED_AT_ONCE):
                on_step()
                codes[first : first + len(some)] = model.encode_tickets(some)
                yield from some
                first += len(some)
                bar.update(len(some))

    return EncodedTickets(read(), codes, kept)


def findable(store: DatedTickets, labels: Sequence[Label]) -> list[Label]:
    """Labels whose ticket can be found under the filters of `searchable`: it exists and is not
    younger than a query that is itself a ticket. People also judge younger tickets, when they
    search for tickets like an old one."""
    filters = searchable(store, queries_of(labels))
    found = store.get_tickets(sorted({label.ticket_id for label in labels}))
    return [
        label
        for label in labels
        if label.ticket_id != label.query.ticket_id
        and label.ticket_id in found
        and filters[label.query.id].admit(found[label.ticket_id])
    ]


def searchable(store: DatedTickets, queries: Sequence[Query]) -> dict[str, Filters]:
    """Filters by query id: a query that is a ticket is compared only with tickets that are not
    younger.

    Tickets with the same date are included, as is the query's own ticket: in exports with dates but
    no times, duplicates often have the same date.
    """
    asked = store.get_tickets([query.ticket_id for query in queries if query.ticket_id])
    until = {id: just_after(ticket.created) for id, ticket in asked.items() if ticket.created}
    return {query.id: Filters(created_before=until.get(query.ticket_id)) for query in queries}
