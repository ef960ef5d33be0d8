"""A store with some data of each kind."""

from dataclasses import replace
from datetime import datetime

from ticketing.history import Asking, FormerTicket, SavedQuery, TopicName
from ticketing.jobs import JobKind, JobState
from ticketing.people import Account, ApiToken, Permission, Role
from ticketing.recommendations import Outlook
from ticketing.schedule import Schedule, Weekday
from ticketing.stores.blocks import CodeRow
from ticketing.stores.protocols import Store
from ticketing.tickets import Filters, Grade, Judgment, ModelKind, Query, Ticket, Verdict

TICKETS = [
    Ticket(f"T-{i}", f"pump {i} trips", created=datetime(2013, 1, 1 + i % 28)) for i in range(1203)
]


def row(ticket, fill, **changes):
    return CodeRow(ticket.id, ticket.version, bytes([fill % 251]) * 6, **changes)


def fill(store: Store) -> None:
    """Put some data of each kind into a store, including some that a copy must not revive."""
    store.put_tickets(TICKETS)
    store.put_codes("b1", [row(t, i, topic=i % 5) for i, t in enumerate(TICKETS)])
    store.put_codes("b2", [row(t, 9) for t in TICKETS[:40]])
    store.put_tickets([replace(TICKETS[7], solution="now solved")])
    store.delete_tickets(["T-8"])
    store.put_query(Query("never judged"))
    time = datetime(2024, 1, 1, 12)
    events = [("e2", Grade.YES), ("e1", None), ("e3", Grade.NO)]
    seen = (Query("q"), "T-8")
    store.add_judgments(
        [Judgment(id, *seen, grade, "ann", time, 1, 4.5, note="n") for id, grade in events]
    )
    said = [("v2", True), ("v1", None), ("v3", False)]
    store.add_verdicts(
        [Verdict(id, "q \u2028", "SGT-400", right, "ann", time) for id, right in said]
    )
    asked = Asking(
        *("h1", "ann", time, Query("q"), Filters(), "b1", Outlook.LIKELY, 0.5, ("T-8", "T-1"))
    )
    saved = SavedQuery("h2", "ann", time, Query("q"), Filters(created_since=time), True)
    named = TopicName("h3", "bob", time, ("pump", "oil"), "Pumps")
    store.add_events([asked, saved, named, FormerTicket("h4", time, "T-77", frozenset(["hr"]))])
    for kind in (JobKind.REINDEX, JobKind.TRAINING):
        job = store.create_job(kind, "b1", 10, {"promotion": "ask"}, "ann")
    store.update_job(job.id, state=JobState.DONE, done=10, errors={"T-1": "broken"}, log="d")
    store.put_account(Account("ann", "a hash", Role.SCIENTIST, frozenset(["service"])))
    scopes = frozenset([Permission.ASK])
    store.add_token(ApiToken("t1", "a key", "ann", "nightly", scopes, time, time.replace(2025)))
    store.put_file("bundle/b1/manifest.json", [b"{", b"}"])
    store.put_file("import/1", [bytes(3_000_000)])
    store.set_schedule(Schedule(Weekday.SUNDAY, since=time), Schedule())
    for bundle_id in ("b0", "b2", "b1"):
        store.set_serving(bundle_id)
    store.set_serving("c1", ModelKind.CATEGORIES)
