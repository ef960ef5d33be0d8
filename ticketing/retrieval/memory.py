"""Tickets and their codes without a store, for measuring and calibrating."""

import os
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from ticketing.ids import Ids
from ticketing.model.inference import Model
from ticketing.model.layout import minute_of
from ticketing.queries import EncodedQuery
from ticketing.stores.blocks import ChosenIds, CodeBlock
from ticketing.stores.protocols import DatedTickets, RankedTickets
from ticketing.tickets import Filters, Label, Query, Ticket, TicketList
from ticketing.times import moment_of, plausible_until

ENCODED_AT_ONCE = 512

MOMENT = timedelta(microseconds=1)
"""What tickets' dates are apart at least, where they differ."""


class TicketsInMemory(DatedTickets):
    """Tickets in ascending order of id, found by id and by date."""

    def __init__(self, tickets: Iterable[Ticket], kept: Collection[str] | None = None):
        """Where `kept` is given, id and date alone are held of tickets whose ids are not in it."""
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

    def get_tickets(self, ids: Sequence[str]) -> dict[str, Ticket]:
        """The tickets that exist among `ids`, by id."""
        return {id: self._tickets[id] for id in ids if id in self._tickets}

    def newest(self, filters: Filters = Filters()) -> datetime | None:
        """When the newest of the tickets created before the filters' date, and not after tomorrow,
        was created."""
        created = self._created[self.live(filters)]
        dated = created[created < np.datetime64(plausible_until())]  # no date is below none
        return dated.max().item() if len(dated) else None

    def minutes(self, filters: Filters = Filters(), but: str = "") -> npt.NDArray[np.int64]:
        """When the tickets of `live` were created: minutes since 1970, 0 for no date."""
        return self._minutes[self.live(filters, but)]

    def live(self, filters: Filters = Filters(), but: str = "") -> npt.NDArray[np.int64]:
        """Places of the tickets created before the filters' date, if they name one; not that of
        the ticket with the id `but`, the one that asks."""
        live = np.ones(len(self.ids), dtype=bool)
        if filters.created_before:
            live = self._created < np.datetime64(filters.created_before, "us")
        if (own := self.ids.place(but)) is not None:
            live[own] = False
        return np.flatnonzero(live)

    def __iter__(self) -> Iterator[Ticket]:
        return (self._tickets[id] for id in self.ids if id in self._tickets)


class EncodedTickets(TicketsInMemory, RankedTickets):
    """Tickets and their codes: as much of a store as a Recommender asks of one.

    `codes` uint8 [n, width] are in the order in which the tickets are given; where `rows` int64 [n]
    are given, these say which of codes [m, width] are theirs.
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
        """Let tickets that are there have other codes, uint8 [n, width]."""
        places = [bisect_left(self.ids, ticket.id) for ticket in tickets]
        self._codes[self._rows[places]] = codes

    def count_tickets(self, filters: Filters = Filters()) -> int:
        """How many tickets match."""
        return len(self.live(filters))

    def naming(
        self, keys: Collection[str], filters: Filters = Filters(), limit: int = 10
    ) -> dict[str, list[str]]:
        """None are: what is measured is a ranking by the model alone."""
        return {}

    def candidates(
        self,
        bundle_id: str,
        query: EncodedQuery,
        filters: Filters = Filters(),
        limit: int = 10,
        also: Collection[str] = (),
    ) -> CodeBlock:
        """All that match, as `codes` gives them."""
        return self.codes(bundle_id, filters)

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
    """Tickets encoded now; `name` is shown beside the progress. See TicketsInMemory for `kept`.

    The codes are mapped from a file without a name in `folder`, the system's temporary one unless
    given. `on_step` is called before each piece, and what it raises ends the work.
    """
    shape = max(len(tickets), 1), model.layout.width  # no empty file can be mapped
    with TemporaryFile(dir=folder) as file:
        # A full disk says so here; a process that writes to a mapped hole of a file is killed.
        os.posix_fallocate(file.fileno(), 0, shape[0] * shape[1])
        codes = np.memmap(file, np.uint8, "r+", shape=shape)

    def read() -> Iterator[Ticket]:
        left, first = iter(tickets), 0
        with tqdm(total=len(tickets), desc=f"{name}: encoding", unit="ticket", leave=False) as bar:
            while some := list(islice(left, ENCODED_AT_ONCE)):
                on_step()
                codes[first : first + len(some)] = model.encode_tickets(some)
                yield from some
                first += len(some)
                bar.update(len(some))

    return EncodedTickets(read(), codes, kept)


def findable(store: DatedTickets, labels: Sequence[Label]) -> list[Label]:
    """The labels whose ticket can be found as `searchable` has it: it is there, and no younger than
    a query that is a ticket itself. People judge younger ones too, when they look for tickets like
    an old one."""
    filters = searchable(store, list({label.query.id: label.query for label in labels}.values()))
    found = store.get_tickets(sorted({label.ticket_id for label in labels}))
    return [
        label
        for label in labels
        if label.ticket_id != label.query.ticket_id
        and label.ticket_id in found
        and filters[label.query.id].admit(found[label.ticket_id])
    ]


def searchable(store: DatedTickets, queries: Sequence[Query]) -> dict[str, Filters]:
    """Filters by query id: a query that is a ticket is matched only against those no younger.

    One of the same moment is among them, as is the ticket that asks: where an export has dates
    without times, duplicates often come on one date."""
    asked = store.get_tickets([query.ticket_id for query in queries if query.ticket_id])
    until = {
        id: min(ticket.created, datetime.max - MOMENT) + MOMENT
        for id, ticket in asked.items()
        if ticket.created
    }
    return {query.id: Filters(created_before=until.get(query.ticket_id)) for query in queries}
