"""Encode a query: the model encodes its text, and the store gives its time."""

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime

import numpy as np

from ticketing.model.inference import Model
from ticketing.queries import EncodedQuery
from ticketing.stores.protocols import DatedTickets
from ticketing.tickets import Filters, Query


class QueryEncoder:
    """Encodes queries with a model, for a scan of a store's tickets.

    With `channels`, all other channels and the time get weight 0; without `timed`, only the time
    does. `read` replaces `model.encode_query`, for example by a cached version.
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
        """Encode a query for the scan of the tickets that pass the filters."""
        encoded = self._read(query)
        if self._channels is None:
            return replace(encoded, time=self._time(query, filters))
        weights = self._model.pattern_weights(encoded.shares, self._channels)
        sparse = self._model.settings.sparse_channel in self._channels
        return replace(encoded, weights=weights, coverage=encoded.coverage * np.float32(sparse))

    def _time(self, query: Query, filters: Filters) -> datetime | None:
        """The time of a query, or None if time does not count or is unknown.

        A query that is a ticket has that ticket's date. A new query counts as asked at the time of
        the newest ticket. At an active desk that is now; in an old archive, all tickets would
        otherwise be beyond the horizon.
        """
        if not (self._timed and self._model.recency.weight):
            return None
        if query.ticket_id:
            own = self._store.get_tickets([query.ticket_id]).get(query.ticket_id)
            return own.created if own else None
        return self._store.newest(filters)
