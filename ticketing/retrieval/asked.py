"""A query as the scan and the explanation want it."""

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from ticketing.similarity.codes import QueryCode, minute_of
from ticketing.similarity.model import Model
from ticketing.stores.protocol import TicketStore
from ticketing.tickets import Query


@dataclass(frozen=True)
class Asked:
    """A query's codes, the weights that go with them (float32 [2 ** R, P, R, C], see
    CodeLayout.pattern_weights), and when it was asked, in minutes since 1970."""

    code: QueryCode
    weights: np.ndarray
    minute: int


def ask(model: Model, store: TicketStore, query: Query) -> Asked:
    """Encode a query. One that is a ticket was asked when that ticket was created."""
    code = model.encode_query(query)
    created = datetime.now(UTC).replace(tzinfo=None)
    if query.ticket_id:
        own = store.get_tickets([query.ticket_id]).get(query.ticket_id)
        created = own.created if own else None
    return Asked(code, model.pattern_weights(code.present), minute_of(created))
