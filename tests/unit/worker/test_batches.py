"""A job ends with its last batch, whichever that is, and asks little of the store before."""

import pytest

from ticketing.desk import open_desk
from ticketing.jobs import JobKind, JobState, Promotion
from ticketing.settings import Settings
from ticketing.stores.blocks import CodeRow
from ticketing.tickets import Ticket
from worker.publishing import batch_size
from worker.tasks import do_batch

IDS = ["a", "b", "c", "d"]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A desk whose bundle encodes each ticket as one byte."""
    desk = open_desk(Settings(home=tmp_path))
    desk.put_tickets([Ticket(id, "Pump") for id in IDS])

    def encode(bundle_id, tickets, tokens):
        return [CodeRow(ticket.id, ticket.version, b"x", None, b"") for ticket in tickets]

    monkeypatch.setattr(desk, "encode", encode)
    yield desk
    desk.close()


@pytest.mark.parametrize("batches", [[["a", "b"], ["c", "d"]], [["c", "d"], ["a", "b"]]])
def test_a_job_ends_with_its_last_batch_in_whatever_order_they_come(desk, batches):
    arguments = {"promotion": Promotion.NEVER}
    job = desk.whole.create_job(JobKind.REINDEX, "B", len(IDS), arguments)
    states = []
    for batch in batches:
        do_batch(desk, None, job.id, "B", batch)
        states.append(desk.whole.get_job(job.id).state)
    assert states == [JobState.RUNNING, JobState.DONE]
    assert desk.whole.get_job(job.id).done == len(IDS)


def test_what_is_done_is_known_after_each_batch_and_counted_at_the_end(desk, monkeypatch):
    job = desk.whole.create_job(JobKind.REINDEX, "B", len(IDS), {"promotion": Promotion.NEVER})
    counted = []
    monkeypatch.setattr(desk.whole, "count_codes", lambda bundle: counted.append(bundle) or 4)
    done = []
    for batch in (["a"], ["a", "b"], ["c"], ["d"]):
        do_batch(desk, None, job.id, "B", batch)
        done.append(desk.whole.get_job(job.id).done)
    assert (done, counted) == ([1, 2, 3, 4], ["B"])


@pytest.mark.parametrize(("tickets", "size"), [(900, 128), (8_192, 256), (1_000_000, 512)])
def test_the_messages_of_many_tickets_are_larger(tickets, size):
    assert batch_size(tickets) == size
