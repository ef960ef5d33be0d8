"""From a query to an EncodedQuery: the model reads its text, the store knows its time."""

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime

import numpy as np

from ticketing.model.inference import Model
from ticketing.queries import EncodedQuery
from ticketing.stores.protocols import DatedTickets
from ticketing.tickets import Filters, Query


class QueryEncoder:
    """Encodes queries under one model, for the scan of one store's tickets.

    With `channels` all other channels, and the time, weigh nothing; neither does the time where
    they are not `timed`. `read` takes the place of `model.encode_query`, where what was read before
    is to be remembered.
    """

    def __init__(
        self,
        model: Model,
        store: DatedTickets,
        channels: Collection[str] | None = None,
        read: Callable[[Query], EncodedQuery] | None = None,
        timed: bool = True,
    ):
        self._model, self._store, self._channels, self._timed = model, store, channels, timed
        self._read = read or model.encode_query

    def __call__(self, query: Query, filters: Filters = Filters()) -> EncodedQuery:
        """A query ready for the scan of the tickets that match."""
        encoded = self._read(query)
        if self._channels is None:
            return replace(encoded, time=self._time(query, filters))
        weights = self._model.pattern_weights(encoded.shares, self._channels)
        sparse = self._model.settings.sparse_channel in self._channels
        return replace(encoded, weights=weights, coverage=encoded.coverage * np.float32(sparse))

    def _time(self, query: Query, filters: Filters) -> datetime | None:
        """When a query was asked; None where time does not count or is not known.

        One that is a ticket was asked when that ticket was created. A new one counts as asked with
        the newest ticket: at a desk that is now, and an archive of old is as useful as it was.
        """
        if not (self._timed and self._model.recency.weight):
            return None
        if query.ticket_id:
            own = self._store.get_tickets([query.ticket_id]).get(query.ticket_id)
            return own.created if own else None
        return self._store.newest(filters)
