"""The words of tickets in memory, searched by BM25, which rank alike whichever store it is."""

from collections.abc import Iterator
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt

from ticketing.retrieval.memory import TicketsInMemory
from ticketing.stores.protocols import DatedTickets
from ticketing.text import tokenize
from ticketing.text.bm25 import BM25, sqlite_idf
from ticketing.tickets import Filters, Query

RAREST_WORDS = 32
"""Words of a query that are looked up: common ones cost most and tell least."""

AT_ONCE = 512
"""Tickets read at a time."""


class IndexedWords:
    """BM25 over subject, description and solution of tickets."""

    least = 0.0  # is the score of a ticket without a word of the query

    def __init__(self, tickets: TicketsInMemory, store: DatedTickets | None = None):
        """A `store` that keeps tokens of these tickets spares finding them again."""
        self.tickets = tickets
        self._store = store or tickets

    @cached_property
    def _index(self) -> BM25:
        return BM25(self._texts(), sqlite_idf)

    def _texts(self) -> Iterator[list[str]]:
        """The tokens of each ticket; those of one that has changed in the store are found here."""
        tickets = iter(self.tickets)
        while some := list(islice(tickets, AT_ONCE)):
            read = self._store.read_tickets([ticket.id for ticket in some])
            for ticket in some:
                stored, tokens = read.get(ticket.id, (None, ""))
                yield tokens.split() if stored == ticket else tokenize(ticket.text)

    @cached_property
    def _ids(self) -> npt.NDArray[np.object_]:
        return np.array([*self.tickets.ids], object)

    def scores(
        self, query: Query, filters: Filters = Filters(), most: int | None = RAREST_WORDS
    ) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float64]]:
        """See Peer. How rare a word is, is that among all tickets; all words are
        looked up where there is no `most`."""
        live = self.tickets.live(filters, query.ticket_id)
        words = self._index.terms(tokenize(query.text), most)
        return self._ids[live], self._index.score(words)[live]


class AllWords:
    """BM25 of all words of a query: slower than of its rarest, and better in a mixture."""

    least = 0.0

    def __init__(self, words: IndexedWords):
        self.tickets, self._words = words.tickets, words

    def scores(
        self, query: Query, filters: Filters = Filters()
    ) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float64]]:
        """See Peer."""
        return self._words.scores(query, filters, most=None)
