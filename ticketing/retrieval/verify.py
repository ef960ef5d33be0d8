"""Check of a bundle's codes before it serves: they are complete and belong to their tickets."""

import numpy as np

from ticketing.errors import StoreError
from ticketing.model.inference import Model
from ticketing.plurals import counted
from ticketing.retrieval.encode import QueryEncoder
from ticketing.stores.protocols import TicketsWithCodes
from ticketing.tickets import Query

SAMPLE = 24
"""Number of tickets encoded again for comparison."""

ALIKE = 0.98
"""Minimum share of equal bytes, since another machine may round some differently."""


def verify_codes(store: TicketsWithCodes, model: Model) -> None:
    """Count the tickets that a search can find, and compare a sample of codes with new ones.

    Checks twice before it reports a fault, since tickets may change meanwhile. Raises StoreError.
    """
    for found in (_fault(store, model), _fault(store, model)):
        if not found:
            return
    raise StoreError(
        f"Bundle {model.id} may not serve: {found}; delete it with `ticketing models"
        f" delete {model.id}`, then train and reindex."
    )


def _fault(store: TicketsWithCodes, model: Model) -> str:
    """What is wrong, or ""."""
    before = store.count_codes(model.id)
    block = store.candidates(model.id, QueryEncoder(model, store)(Query("any")), limit=1)
    found = len(block.live) if block.of is None else block.of
    coded = min(before, store.count_codes(model.id))
    if found < coded:
        return (
            f"codes of {counted(coded, 'ticket')} should be there, and {found} of them can be found"
        )
    chosen = np.linspace(0, len(block.live) - 1, min(SAMPLE, len(block.live))).astype(int)
    row_of = {block.ids[i]: block.codes[block.live[i]] for i in chosen}
    stale = set(store.stale_ids(model.id, among=list(row_of)))
    tickets = list(store.get_tickets([id for id in row_of if id not in stale]).values())
    for ticket, row in zip(tickets, model.encode_tickets(tickets), strict=True):
        kept = row_of[ticket.id]
        if kept.shape != row.shape or (kept == row).mean() < ALIKE:
            return f"the codes of ticket {ticket.id} are not those of its text"
    return ""
