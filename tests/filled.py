"""A store that holds something of everything."""

from dataclasses import replace
from datetime import datetime

from ticketing.stores.protocols import CodeRow, Store
from ticketing.tickets import Account, Grade, Judgment, Query, Ticket

TICKETS = [
    Ticket(f"T-{i}", f"pump {i} trips", created=datetime(2013, 1, 1 + i % 28)) for i in range(1203)
]


def row(ticket, fill, **changes):
    return CodeRow(ticket.id, ticket.version, bytes([fill % 251]) * 6, **changes)


def fill(store: Store) -> None:
    """Something of everything, among it what a copy must not bring back to life."""
    store.put_tickets(TICKETS)
    store.put_codes("b1", [row(t, i, topic=i % 5) for i, t in enumerate(TICKETS)])
    store.put_codes("b2", [row(t, 9) for t in TICKETS[:40]])
    store.put_tickets([replace(TICKETS[7], solution="now solved")])
    store.delete_tickets(["T-8"])
    store.put_query(Query("never judged"))
    time = datetime(2024, 1, 1, 12)
    events = [("e2", Grade.YES), ("e1", None), ("e3", Grade.NO)]
    store.add_judgments(
        [Judgment(id, Query("q"), "T-8", grade, "ann", time, 1, 4.5) for id, grade in events]
    )
    for kind in ("reindex", "other"):
        job = store.create_job(kind, "b1", 10)
    store.update_job(job.id, state="done", done=10, errors={"T-1": "broken"})
    store.put_account(Account("ann", "a hash", "editor", frozenset(["service"])))
    for bundle_id in ("b0", "b2", "b1"):
        store.set_serving(bundle_id)
