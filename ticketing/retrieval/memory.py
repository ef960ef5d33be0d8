"""Tickets and their codes in memory, for measuring and calibrating without a store."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from ticketing.model.inference import Model
from ticketing.model.layout import minute_of
from ticketing.queries import EncodedQuery
from ticketing.stores.blocks import CodeBlock
from ticketing.stores.protocols import DatedTickets, RankedTickets
from ticketing.tickets import Filters, Query, Ticket
from ticketing.times import plausible_until

ENCODED_AT_ONCE = 512


class TicketsInMemory(DatedTickets):
    """Tickets in ascending order of id, found by id and by date."""

    def __init__(self, tickets: Sequence[Ticket]):
        self.ids = np.array([ticket.id for ticket in tickets], dtype=object)
        self._tickets = {ticket.id: ticket for ticket in tickets}
        self._minutes = np.array([minute_of(ticket.created) for ticket in tickets], np.int64)
        self._created = np.array([ticket.created for ticket in tickets], dtype="datetime64[us]")

    def get_tickets(self, ids: Sequence[str]) -> dict[str, Ticket]:
        """The tickets that exist among `ids`, by id."""
        return {id: self._tickets[id] for id in ids if id in self._tickets}

    def newest(self, filters: Filters = Filters()) -> datetime | None:
        """When the newest of the tickets created before the filters' date, and not after tomorrow,
        was created."""
        created = self._created[self.live(filters)]
        dated = created[created < np.datetime64(plausible_until())]  # no date is below none
        return dated.max().item() if len(dated) else None

    def minutes(self, filters: Filters = Filters()) -> npt.NDArray[np.int64]:
        """When the tickets of `live` were created: minutes since 1970, 0 for no date."""
        return self._minutes[self.live(filters)]

    def live(self, filters: Filters = Filters()) -> npt.NDArray[np.int64]:
        """Places of the tickets created before the filters' date, if they name one."""
        if filters.created_before:
            return np.flatnonzero(self._created < np.datetime64(filters.created_before, "us"))
        return np.arange(len(self.ids))

    def __iter__(self) -> Iterator[Ticket]:
        return iter(self._tickets.values())


class EncodedTickets(TicketsInMemory, RankedTickets):
    """Tickets and their codes in memory: as much of a store as a Recommender asks of one.

    `codes` uint8 [n, width] belong to `tickets` in ascending order of id.
    """

    def __init__(self, tickets: Sequence[Ticket], codes: npt.NDArray[np.uint8]):
        super().__init__(tickets)
        self._codes = codes

    def count_tickets(self, filters: Filters = Filters()) -> int:
        """How many tickets match."""
        return len(self.live(filters))

    def candidates(
        self, bundle_id: str, query: EncodedQuery, filters: Filters = Filters(), limit: int = 10
    ) -> CodeBlock:
        """All that match, as `codes` gives them."""
        return self.codes(bundle_id, filters)

    def codes(self, bundle_id: str, filters: Filters = Filters()) -> CodeBlock:
        """Codes of the tickets of `live`."""
        live = self.live(filters)
        return CodeBlock(self._codes, live, self.ids[live].tolist())


def encoded(model: Model, tickets: Sequence[Ticket], name: str) -> EncodedTickets:
    """Tickets encoded now; `name` is shown beside the progress."""
    ordered = sorted(tickets, key=lambda ticket: ticket.id)
    starts = range(0, len(ordered), ENCODED_AT_ONCE)
    parts = [
        model.encode_tickets(ordered[start : start + ENCODED_AT_ONCE])
        for start in tqdm(starts, desc=f"{name}: encoding", unit="batch", leave=False)
    ]
    empty = np.zeros((0, model.layout.width), np.uint8)
    return EncodedTickets(ordered, np.concatenate([empty, *parts]))


def searchable(store: DatedTickets, queries: Sequence[Query]) -> dict[str, Filters]:
    """By query id what may be found; one that is a ticket is matched only against older ones."""
    asked = store.get_tickets([query.ticket_id for query in queries if query.ticket_id])
    created = {id: ticket.created for id, ticket in asked.items()}
    return {query.id: Filters(created_before=created.get(query.ticket_id)) for query in queries}
