"""BM25 over the store's words: what a desk would use instead."""

from collections.abc import Sequence

from ticketing.evaluation.ranking import Run
from ticketing.stores.protocol import TicketStore
from ticketing.text import tokenize
from ticketing.tickets import Filters, Query


def run_words(store: TicketStore, queries: Sequence[Query], depth: int = 100) -> Run:
    """Rank each query by BM25; one that is a ticket is matched only against older tickets."""
    asked = store.get_tickets([query.ticket_id for query in queries if query.ticket_id])
    run = {}
    for query in queries:
        own = asked.get(query.ticket_id)
        filters = Filters(created_before=own.created) if own and own.created else Filters()
        words = tokenize(f"{query.subject}\n{query.description}")
        found = store.search_words(words, depth + 1, filters)
        run[query.id] = [(id, -score) for id, score in found if id != query.ticket_id][:depth]
    return run
