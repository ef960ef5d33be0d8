"""BM25 over tickets in memory, so that the baseline is the same whatever the store is."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ticketing.batches import batches
from ticketing.retrieval.memory import TicketsInMemory
from ticketing.stores.protocols import DatedTickets
from ticketing.text import tokenize
from ticketing.text.bm25 import BM25, sqlite_idf
from ticketing.tickets import Filters, Query

RAREST_WORDS = 32
"""Number of a query's rarest words that are searched: frequent words are slow and say little."""

AT_ONCE = 512
"""Number of tickets read at a time."""


class IndexedWords:
    """BM25 over the subject, description and solution of tickets."""

    least = 0.0  # is the score of a ticket without a word of the query

    def __init__(self, tickets: TicketsInMemory, store: DatedTickets | None = None):
        """If a `store` is given, the tokens that it keeps are reused."""
        self.tickets = tickets
        self._store = store or tickets

    @cached_property
    def _index(self) -> BM25:
        return BM25(self._texts(), sqlite_idf)

    def _texts(self) -> Iterator[list[str]]:
        """The tokens of each ticket; a ticket that has changed in the store is tokenized here."""
        for some in batches(self.tickets, AT_ONCE):
            read = self._store.read_tickets([ticket.id for ticket in some])
            for ticket in some:
                stored, tokens = read.get(ticket.id, (None, ""))
                yield tokens.split() if stored == ticket else tokenize(ticket.text)

    def scores(
        self, query: Query, filters: Filters = Filters(), most: int | None = RAREST_WORDS
    ) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float64]]:
        """See Peer. Document frequencies are over all tickets. With `most` None, all words are
        searched."""
        live = self.tickets.live(filters, query.ticket_id)
        words = self._index.terms(tokenize(query.text), most)
        return self.tickets.id_array[live], self._index.score(words)[live]


class AllWords:
    """BM25 with all words of a query: slower than with its rarest words, and better in a
    mixture."""

    least = 0.0

    def __init__(self, words: IndexedWords):
        self.tickets, self._words = words.tickets, words

    def scores(
        self, query: Query, filters: Filters = Filters()
    ) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float64]]:
        """See Peer."""
        return self._words.scores(query, filters, most=None)
