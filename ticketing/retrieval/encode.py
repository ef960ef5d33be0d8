"""A query as the store, the scan and the explanation want it."""

from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from ticketing.model.inference import Model
from ticketing.model.layout import EPOCH, QueryCode, minute_of
from ticketing.model.projection import query_vector
from ticketing.stores.protocols import Clues, Tickets
from ticketing.text import tokenize
from ticketing.tickets import Filters, Query


@dataclass(frozen=True)
class Asked:
    """A query's codes, the weights that go with them (float32 [2 ** R, P, R, C], see
    CodeLayout.pattern_weights), and when it was asked, in minutes since 1970."""

    code: QueryCode
    weights: np.ndarray
    minute: int


def ask(model: Model, store: Tickets, query: Query, filters: Filters = Filters()) -> Asked:
    """Encode a query for the scan of the tickets that match.

    One that is a ticket was asked when that ticket was created. A new one counts as asked with
    the newest ticket: at a desk that is now, and an archive of old is as useful as it was.
    """
    code = model.encode_query(query)
    return Asked(code, model.pattern_weights(code.present), _minute(model, store, query, filters))


def clues_of(model: Model, query: Query, asked: Asked) -> Clues:
    """What the store may find the nearest tickets by."""
    words = tokenize(query.text)
    time = EPOCH + timedelta(minutes=asked.minute) if asked.minute else None
    return Clues(words, query_vector(model, asked.code), time)


def _minute(model: Model, store: Tickets, query: Query, filters: Filters) -> int:
    if not model.recency.weight:
        return 0
    if query.ticket_id:
        own = store.get_tickets([query.ticket_id]).get(query.ticket_id)
        return minute_of(own.created) if own else 0
    return minute_of(store.newest(filters))
