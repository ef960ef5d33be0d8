"""A query as the scan and the explanation want it."""

from dataclasses import dataclass

import numpy as np

from ticketing.similarity.codes import QueryCode, minute_of
from ticketing.similarity.model import Model
from ticketing.stores.protocol import CodeBlock, TicketStore
from ticketing.tickets import Query


@dataclass(frozen=True)
class Asked:
    """A query's codes, the weights that go with them (float32 [2 ** R, P, R, C], see
    CodeLayout.pattern_weights), and when it was asked, in minutes since 1970."""

    code: QueryCode
    weights: np.ndarray
    minute: int


def ask(model: Model, store: TicketStore, query: Query, block: CodeBlock) -> Asked:
    """Encode a query for the scan of a block.

    One that is a ticket was asked when that ticket was created. A new one counts as asked with
    the newest ticket: at a desk that is now, and an archive of old is as useful as it was.
    """
    code = model.encode_query(query)
    return Asked(code, model.pattern_weights(code.present), _minute(model, store, query, block))


def _minute(model: Model, store: TicketStore, query: Query, block: CodeBlock) -> int:
    if not model.recency.weight:
        return 0
    if query.ticket_id:
        own = store.get_tickets([query.ticket_id]).get(query.ticket_id)
        return minute_of(own.created) if own else 0
    return int(model.layout.minutes(block.codes, block.live).max(initial=0))
