"""Tasks and jobs without a worker process: messages wait in the broker's folder or are run here."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.live.encoding_desk import BUNDLE, POISON, DigestDesk
from ticketing.errors import BundleError, InputError, NotFound, StoreAway, StoreError
from ticketing.jobs import JobKind, JobState
from ticketing.stores.protocols import CodeRow
from ticketing.tickets import Ticket
from ticketing.times import utc_now
from worker import jobs, progress, tasks
from worker.app import make_app
from worker.queues import QUEUE

TICKETS = [Ticket(f"{i:04}", f"ticket {i}") for i in range(300)]


@pytest.fixture
def desk(tmp_path):
    desk = DigestDesk(tmp_path)
    desk.store.put_tickets(TICKETS)
    yield desk
    desk.store.close()


@pytest.fixture
def app(desk):
    return make_app(desk.settings)


@pytest.fixture
def silent(monkeypatch):
    """As if every heartbeat were an hour old."""
    monkeypatch.setattr(progress, "utc_now", lambda now=utc_now: now() + timedelta(hours=1))


def take_message(app):
    """The arguments of the next waiting task, which leaves the broker, or None."""
    with app.connection_for_read() as connection:
        message = connection.default_channel.basic_get(QUEUE, no_ack=True)
        return message and json.loads(message.body)[0]


def run_messages(desk, app, limit=1000):
    """Do what a worker would with the next messages; returns how many there were."""
    count = 0
    while count < limit and (arguments := take_message(app)):
        tasks.encode_batch(desk, *arguments)
        count += 1
    return count


def a_job(desk):
    return desk.store.create_job(JobKind.REINDEX, BUNDLE, len(TICKETS))


def all_ids():
    return [ticket.id for ticket in TICKETS]


# the app ------------------------------------------------------------------------------------


def test_messages_are_small_json_files_below_home(desk, app):
    jobs.start_reindex(desk, app, BUNDLE)
    files = sorted((desk.settings.home / "broker").glob("*"))
    assert len(files) == 3 == jobs.waiting_messages(app)
    assert all(path.name.endswith(f".{QUEUE}.msg") for path in files)
    assert json.loads(files[0].read_text())["content-type"] == "application/json"


def test_messages_are_taken_in_the_order_they_were_put(desk, app):
    jobs.start_reindex(desk, app, BUNDLE)
    taken = [take_message(app)[2][0] for _ in range(3)]
    assert taken == ["0000", "0128", "0256"]
    assert take_message(app) is None


def test_a_named_broker_is_used_instead(desk):
    app = make_app(desk.settings.model_copy(update={"broker": "redis://localhost:6399/3"}))
    assert app.conf.broker_url == "redis://localhost:6399/3"


def test_a_broker_folder_that_cannot_be_made_is_said(desk):
    (desk.settings.home / "broker").write_text("")
    with pytest.raises(StoreError, match="broker cannot be used: File exists"):
        make_app(desk.settings)


# a batch ------------------------------------------------------------------------------------


def test_a_batch_is_encoded_once_however_often_it_comes(desk):
    job = a_job(desk)
    for _ in range(3):
        tasks.encode_batch(desk, job.id, BUNDLE, ["0001", "0002", "gone"])
    assert desk.encoded == ["0001", "0002"]
    record = desk.store.get_job(job.id)
    assert (record.state, record.done, record.errors) == ("running", 2, {})
    assert len(desk.store.codes(BUNDLE).codes) == 2


def test_a_changed_ticket_is_encoded_again(desk):
    job = a_job(desk)
    tasks.encode_batch(desk, job.id, BUNDLE, ["0001", "0002"])
    desk.store.put_tickets([Ticket("0002", "other text")])
    tasks.encode_batch(desk, job.id, BUNDLE, ["0001", "0002"])
    assert desk.encoded == ["0001", "0002", "0002"]


def test_the_last_batch_ends_the_job(desk):
    job = a_job(desk)
    tasks.encode_batch(desk, job.id, BUNDLE, all_ids()[:200])
    assert desk.store.get_job(job.id).state == "running"
    tasks.encode_batch(desk, job.id, BUNDLE, all_ids()[200:])
    record = desk.store.get_job(job.id)
    assert (record.state, record.done, record.message) == ("done", 300, "done")


@pytest.mark.parametrize("state", ["done", "failed", "cancelled"])
def test_a_batch_of_a_finished_job_does_nothing(desk, state):
    job = a_job(desk)
    desk.store.update_job(job.id, state=JobState(state))
    tasks.encode_batch(desk, job.id, BUNDLE, all_ids())
    tasks.encode_batch(desk, "unknown job", BUNDLE, all_ids())
    assert desk.encoded == []


def test_a_cancel_request_ends_the_job_before_the_next_batch(desk):
    job = a_job(desk)
    desk.store.request_cancel(job.id)
    tasks.encode_batch(desk, job.id, BUNDLE, all_ids())
    assert desk.store.get_job(job.id).state == "cancelled"
    assert desk.encoded == []


def test_poisonous_tickets_are_set_aside_with_their_errors(desk):
    desk.store.put_tickets([replace(TICKETS[i], product=POISON) for i in (3, 5)])
    job = a_job(desk)
    tasks.encode_batch(desk, job.id, BUNDLE, all_ids())
    record = desk.store.get_job(job.id)
    assert (record.state, record.done, record.message) == ("done", 298, "done with 2 errors")
    assert record.errors == dict.fromkeys(("0003", "0005"), "ValueError: no such word")


def test_where_every_ticket_of_a_batch_fails_the_job_fails(desk):
    desk.store.put_tickets([replace(ticket, product=POISON) for ticket in TICKETS])
    job = a_job(desk)
    tasks.encode_batch(desk, job.id, BUNDLE, all_ids()[:20])
    record = desk.store.get_job(job.id)
    assert (record.state, record.errors) == ("failed", {})
    assert record.message == "ValueError: no such word"


@pytest.mark.parametrize("error", [BundleError("model.json is missing."), StoreError("Full.")])
def test_an_error_of_the_bundle_or_the_store_fails_the_job_at_once(desk, monkeypatch, error):
    calls = []

    def refuse(bundle_id, tickets):
        calls.append(len(tickets))
        raise error

    monkeypatch.setattr(desk, "encode", refuse)
    job = a_job(desk)
    tasks.encode_batch(desk, job.id, BUNDLE, all_ids()[:20])
    record = desk.store.get_job(job.id)
    assert (record.state, record.message, calls) == ("failed", str(error), [20])


def test_an_input_error_is_the_tickets(desk, monkeypatch):
    encode = desk.encode

    def refuse(bundle_id, tickets):
        if any(ticket.id == "0007" for ticket in tickets):
            raise InputError("Ticket 0007 is too long.")
        return encode(bundle_id, tickets)

    monkeypatch.setattr(desk, "encode", refuse)
    job = a_job(desk)
    tasks.encode_batch(desk, job.id, BUNDLE, all_ids())
    assert desk.store.get_job(job.id).errors == {"0007": "Ticket 0007 is too long."}


def test_a_store_that_is_away_is_no_failure_of_the_job(desk, monkeypatch):
    def away(*arguments):
        raise StoreAway("Locked; try again.")

    job = a_job(desk)
    monkeypatch.setattr(desk.store, "put_codes", away)
    with pytest.raises(StoreAway):
        tasks.encode_batch(desk, job.id, BUNDLE, all_ids())
    assert desk.store.get_job(job.id).state == "running"


def test_codes_of_another_width_fail_the_job_with_a_sentence(desk):
    other = CodeRow("0000", TICKETS[0].version, b"four")
    desk.store.put_codes(BUNDLE, [other])
    job = a_job(desk)
    tasks.encode_batch(desk, job.id, BUNDLE, ["0001"])
    assert "4 and 32 bytes" in desk.store.get_job(job.id).message


# jobs -----------------------------------------------------------------------------------------


def test_a_job_runs_from_start_to_done(desk, app):
    job = jobs.start_reindex(desk, app, BUNDLE)
    assert (job.state, job.done, job.total) == ("queued", 0, 300)
    assert run_messages(desk, app) == 3
    assert desk.store.get_job(job.id).state == "done"
    assert desk.encoded == all_ids()


def test_with_nothing_to_encode_the_job_is_done_at_once(desk, app):
    jobs.start_reindex(desk, app, BUNDLE)
    run_messages(desk, app)
    job = jobs.start_reindex(desk, app, BUNDLE)
    assert (job.state, job.done, job.total) == ("done", 300, 300)
    assert jobs.waiting_messages(app) == 0


def test_starting_twice_publishes_once(desk, app, silent):
    job = jobs.start_reindex(desk, app, BUNDLE)
    assert jobs.start_reindex(desk, app, BUNDLE).id == job.id
    assert jobs.waiting_messages(app) == 3


def test_starting_again_publishes_what_a_killed_worker_lost(desk, app, silent):
    job = jobs.start_reindex(desk, app, BUNDLE)
    run_messages(desk, app, limit=1)
    while take_message(app):
        pass
    assert jobs.start_reindex(desk, app, BUNDLE).id == job.id
    assert take_message(app)[2][0] == "0128"


def test_a_silent_job_without_messages_is_resumed(desk, app, silent):
    job = jobs.start_reindex(desk, app, BUNDLE)
    take_message(app)
    assert jobs.resume_jobs(desk, app) == [], "two messages still wait"
    run_messages(desk, app)
    assert [resumed.id for resumed in jobs.resume_jobs(desk, app)] == [job.id]
    assert run_messages(desk, app) == 1
    assert desk.store.get_job(job.id).state == "done"
    assert jobs.resume_jobs(desk, app) == []


def test_a_job_with_a_fresh_heartbeat_is_left_alone(desk, app):
    jobs.start_reindex(desk, app, BUNDLE)
    while take_message(app):
        pass
    assert jobs.resume_jobs(desk, app) == []


def test_resuming_ends_a_job_that_has_nothing_left_to_do(desk, app, silent):
    job = jobs.start_reindex(desk, app, BUNDLE)
    while take_message(app):
        pass
    desk.store.put_codes(BUNDLE, desk.encode(BUNDLE, TICKETS))
    jobs.resume_jobs(desk, app)
    assert desk.store.get_job(job.id).state == "done"


def test_tickets_that_arrive_meanwhile_are_counted_when_resumed(desk, app, silent):
    job = jobs.start_reindex(desk, app, BUNDLE)
    desk.store.put_tickets([Ticket("new", "New")])
    run_messages(desk, app)
    jobs.resume_jobs(desk, app)
    run_messages(desk, app)
    record = desk.store.get_job(job.id)
    assert (record.state, record.done, record.total) == ("done", 301, 301)


def test_cancelling_asks_a_worker_that_is_at_it(desk, app):
    job = jobs.start_reindex(desk, app, BUNDLE)
    assert jobs.cancel_reindex(desk.store, BUNDLE).state == "queued"
    run_messages(desk, app)
    assert desk.store.get_job(job.id).state == "cancelled"


def test_cancelling_ends_a_job_that_nobody_works_on(desk, app, silent):
    jobs.start_reindex(desk, app, BUNDLE)
    assert jobs.cancel_reindex(desk.store, BUNDLE).state == "cancelled"
    assert run_messages(desk, app) == 3
    assert desk.encoded == []


def test_a_cancelled_job_left_behind_is_ended_by_the_next_worker(desk, app, silent):
    job = a_job(desk)
    desk.store.request_cancel(job.id)
    assert [ended.state for ended in jobs.resume_jobs(desk, app)] == ["cancelled"]
    assert desk.store.get_job(job.id).state == "cancelled"


def test_starting_after_a_cancel_request_makes_a_new_job(desk, app):
    first = jobs.start_reindex(desk, app, BUNDLE)
    desk.store.request_cancel(first.id)
    second = jobs.start_reindex(desk, app, BUNDLE)
    assert second.id != first.id
    assert desk.store.get_job(first.id).state == "cancelled"


def test_cancelling_what_does_not_run_is_not_found(desk):
    with pytest.raises(NotFound, match="No reindexing of bundle bundle"):
        jobs.cancel_reindex(desk.store, BUNDLE)


def test_rate_and_estimate_come_from_the_record(desk):
    job = a_job(desk)
    assert (progress.rate(job), progress.seconds_left(job)) == (0.0, None)
    running = replace(
        job,
        state="running",
        total=300,
        done=100,
        started=job.created,
        heartbeat=job.created + timedelta(seconds=4),
        errors={"bad": "ValueError"},
    )
    assert (progress.rate(running), progress.seconds_left(running)) == (25.0, 199 / 25)
