"""A job ends with its last batch, whichever that is, and asks little of the store before."""

from dataclasses import replace

import pytest

from tests.fake_records import jobs
from ticketing.desk import open_desk
from ticketing.jobs import JobKind, JobState, Promotion
from ticketing.settings import Settings
from ticketing.stores.blocks import CodeRow
from ticketing.tickets import Ticket
from worker.tasks import do_batch, is_counted

IDS = ["a", "b", "c", "d"]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A desk whose bundle encodes each ticket as one byte."""
    desk = open_desk(Settings(home=tmp_path))
    desk.put_tickets([Ticket(id, "Pump") for id in IDS])

    def encode(bundle_id, tickets):
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


def test_of_very_many_batches_few_count_what_is_done():
    batches = [[f"T-{number}"] for number in range(1000)]
    few, many = replace(jobs()[0], total=6400), replace(jobs()[0], total=1000 * 128)
    assert all(is_counted(few, batch) for batch in batches)
    assert 25 <= sum(is_counted(many, batch) for batch in batches) <= 100
