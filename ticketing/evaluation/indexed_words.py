"""The words of tickets in memory, searched as a desk's store searches them: many queries in one
index cost little beside as many searches of a store, and rank alike whichever store it is."""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from ticketing.retrieval.memory import TicketsInMemory
from ticketing.text import tokenize
from ticketing.text.bm25 import BM25, sqlite_idf
from ticketing.tickets import Filters, Query

RAREST_WORDS = 32
"""Words of a query that are looked up, as a store does."""


class IndexedWords:
    """BM25 over subject, description and solution of tickets."""

    def __init__(self, tickets: TicketsInMemory):
        self.tickets = tickets

    @cached_property
    def _index(self) -> BM25:
        return BM25((tokenize(ticket.text) for ticket in self.tickets), sqlite_idf)

    @cached_property
    def _ids(self) -> npt.NDArray[np.object_]:
        return np.array([*self.tickets.ids], object)

    def scores(
        self, query: Query, filters: Filters = Filters()
    ) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float64]]:
        """Ids of all matching tickets, ascending, and their scores, float64 [n]: 0 without a word
        of the query. How rare a word is, is that among all tickets."""
        live = self.tickets.live(filters)
        words = self._index.terms(tokenize(query.text), RAREST_WORDS)
        return self._ids[live], self._index.score(words)[live]
