"""Tasks and jobs without a worker process: messages wait in the broker's folder or are run here."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from celery.exceptions import Reject

from tests.live.encoding_desk import ANN, BUNDLE, POISON, DigestDesk
from ticketing.desk import leases
from ticketing.errors import (
    BrokerAway,
    BundleAway,
    BundleError,
    InputError,
    NotFound,
    NotReady,
    StoreAway,
    StoreError,
)
from ticketing.history import Deed
from ticketing.jobs import JobKind, JobState, Promotion
from ticketing.stores.blocks import CodeRow
from ticketing.tickets import Ticket
from worker import handing_back, jobs, progress, tasks
from worker.app import make_app
from worker.queues import QUEUE

TICKETS = [Ticket(f"{i:04}", f"ticket {i}") for i in range(300)]


@pytest.fixture
def desk(tmp_path):
    desk = DigestDesk(tmp_path)
    desk.store.put_tickets(TICKETS)
    yield desk
    desk.store.close()


def take_named(app):
    """The name and the arguments of the next waiting task, which leaves the broker, or None."""
    with app.connection_for_read() as connection:
        message = connection.default_channel.basic_get(QUEUE, no_ack=True)
        return message and (message.headers["task"], json.loads(message.body)[0])


def take_message(app):
    """The arguments of the next waiting task, which leaves the broker, or None."""
    found = take_named(app)
    return found and found[1]


def run_messages(desk, app, limit=1000):
    """Do what a worker would with the next messages; returns how many there were."""
    count = 0
    while count < limit and (found := take_named(app)):
        name, arguments = found
        tasks.TASKS[name](desk, app, *arguments)
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


def test_after_the_last_batch_the_bundle_is_compared_and_promoted(desk, app):
    job = jobs.start_reindex(desk, app, BUNDLE, by="ann")
    run_messages(desk, app, limit=3)
    record = desk.store.get_job(job.id)
    assert (record.state, record.step, record.done) == ("running", "comparing", 300)
    assert record.message == "encoded, awaiting promotion"
    assert desk.store.serving() == ""
    assert run_messages(desk, app) == 1
    record = desk.store.get_job(job.id)
    assert (record.state, record.message) == ("done", f"Bundle {BUNDLE} serves now.")
    assert desk.store.serving() == BUNDLE
    said = [line.text for line in record.log]
    assert said == ["encoded, awaiting promotion", "compared", f"Bundle {BUNDLE} serves now."]
    [entry] = desk.audit_entries()
    assert (entry.person, entry.deed, entry.which) == ("ann", Deed.PROMOTED, f"bundle {BUNDLE}")


def test_a_bundle_that_loses_is_not_promoted_and_the_job_says_why(desk, app, monkeypatch):
    monkeypatch.setattr(desk, "compared", lambda _: (False, ": it is worse"))
    job = jobs.start_reindex(desk, app, BUNDLE)
    run_messages(desk, app)
    record = desk.store.get_job(job.id)
    assert record.state == "done"
    assert record.message == f"Bundle {BUNDLE} was not promoted: it is worse."
    assert record.result == {
        "may_serve": False,
        "comparison": "it is worse",
        "compared_with": "",
    }
    assert desk.store.serving() == ""


def test_a_job_may_be_told_to_promote_nothing(desk, app):
    job = jobs.start_reindex(desk, app, BUNDLE, Promotion.NEVER)
    assert run_messages(desk, app) == 3
    assert desk.store.get_job(job.id).state == "done"
    assert desk.store.serving() == ""


@pytest.mark.parametrize("yes", [True, False])
def test_a_job_may_wait_for_an_answer(desk, app, silent, yes):
    job = jobs.start_reindex(desk, app, BUNDLE, Promotion.ASK)
    run_messages(desk, app)
    record = desk.store.get_job(job.id)
    assert (record.state, record.message) == ("waiting", "compared; waits for a yes or no")
    assert jobs.resume_jobs(desk, app) == [], "nobody but a person goes on with it"
    assert jobs.start_reindex(desk, app, BUNDLE) == record
    jobs.answer_promotion(desk, app, job.id, yes, ANN)
    run_messages(desk, app)
    record = desk.store.get_job(job.id)
    assert record.state == "done"
    assert record.result["answered_by"] == "ann"
    assert desk.store.serving() == (BUNDLE if yes else "")
    deeds = [(entry.person, entry.deed) for entry in desk.audit_entries()]
    assert deeds == [("ann", Deed.ANSWERED), ("ann", Deed.PROMOTED)][: 1 + yes]
    with pytest.raises(NotReady, match="is done; it waits for no answer"):
        jobs.answer_promotion(desk, app, job.id, yes, ANN)


def test_tickets_that_came_while_it_waited_are_encoded_before_it_serves(desk, app):
    job = jobs.start_reindex(desk, app, BUNDLE, Promotion.ASK)
    run_messages(desk, app)
    desk.store.put_tickets([Ticket(f"new{i}", "New") for i in range(200)])
    jobs.answer_promotion(desk, app, job.id, True, ANN)
    assert run_messages(desk, app) == 3
    assert desk.store.serving() == BUNDLE
    assert desk.store.count_codes(BUNDLE) == 500
    assert desk.store.get_job(job.id).state == "done"


@pytest.mark.parametrize("at", ["compared", "let_serve"])
def test_a_store_that_is_away_after_the_encoding_delays_the_promotion(
    desk, app, monkeypatch, silent, at
):
    """Once the promotion lived in the terminal that asked, and nothing tried again."""

    def away(*_):
        raise StoreAway("Frozen; try again.")

    job = jobs.start_reindex(desk, app, BUNDLE)
    run_messages(desk, app, limit=3)
    with monkeypatch.context() as patch:
        patch.setattr(desk, at, away)
        with pytest.raises(StoreAway):
            run_messages(desk, app)
    assert desk.store.get_job(job.id).state == "running"
    assert [resumed.id for resumed in jobs.resume_jobs(desk, app)] == [job.id]
    run_messages(desk, app)
    assert desk.store.get_job(job.id).state == "done"
    assert desk.store.serving() == BUNDLE


def test_two_workers_do_not_promote_at_once(desk, app, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.5)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.1)
    job = jobs.start_reindex(desk, app, BUNDLE)
    run_messages(desk, app, limit=3)
    assert desk.store.take_lease(f"job {job.id}", "another", 60)
    run_messages(desk, app)
    assert desk.store.serving() == ""
    assert desk.store.get_job(job.id).state == "running"


def test_a_job_that_failed_is_retried_where_it_stopped(desk, app, monkeypatch):
    def refuse(*_):
        raise StoreError("Full.")

    job = jobs.start_reindex(desk, app, BUNDLE)
    with monkeypatch.context() as patch:
        patch.setattr(desk, "let_serve", refuse)
        run_messages(desk, app)
    failed = desk.store.get_job(job.id)
    assert (failed.state, failed.message) == ("failed", "Full.")
    again = jobs.retry_job(desk, app, job.id, ANN)
    assert (again.id, again.step) == (job.id, "comparing")  # nothing is encoded again
    assert run_messages(desk, app) == 1
    assert desk.store.get_job(job.id).state == "done"
    with pytest.raises(NotReady, match="is done; only a failed or cancelled one"):
        jobs.retry_job(desk, app, job.id, ANN)


def test_a_retry_is_audited_though_the_broker_is_away(desk, app, monkeypatch):
    job = a_job(desk)
    desk.store.update_job(job.id, state=JobState.FAILED)

    def away(*_):
        raise BrokerAway("The broker does not answer.")

    monkeypatch.setattr(jobs, "publish", away)
    with pytest.raises(BrokerAway):
        jobs.retry_job(desk, app, job.id, ANN)
    [entry] = desk.audit_entries()
    done = (entry.person, entry.deed, entry.which)
    assert done == ("ann", Deed.JOB_RETRIED, f"reindex {job.id}")
    assert desk.store.get_job(job.id).state == JobState.QUEUED


def test_a_retry_forgets_which_workers_lacked_the_bundle(desk, app, monkeypatch):
    """One of them has room for it now; the job failed as soon as the other one was asked."""
    job = a_job(desk)
    monkeypatch.setattr(handing_back, "HELD_SECONDS", 0)
    monkeypatch.setattr(handing_back, "live_workers", lambda *_: {"q@a", "q@b"})
    lacks = BundleAway("No room.")
    with pytest.raises(Reject):
        handing_back.hand_back(desk, app, job.id, "q@a", lacks)
    handing_back.hand_back(desk, app, job.id, "q@b", lacks)
    assert desk.store.get_job(job.id).state == "failed"
    jobs.retry_job(desk, app, job.id, ANN)
    with pytest.raises(Reject):
        handing_back.hand_back(desk, app, job.id, "q@b", lacks)
    record = desk.store.get_job(job.id)
    assert (record.state, list(record.result[handing_back.WITHOUT])) == ("queued", ["q@b"])


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


def test_poisonous_tickets_are_set_aside_with_their_errors(desk, app):
    desk.store.put_tickets([replace(TICKETS[i], product=POISON) for i in (3, 5)])
    job = jobs.start_reindex(desk, app, BUNDLE)
    run_messages(desk, app)
    record = desk.store.get_job(job.id)
    assert (record.state, record.done) == ("done", 298)
    assert record.message == f"Bundle {BUNDLE} serves now. (2 errors)"
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

    def refuse(bundle_id, tickets, tokens):
        calls.append(len(tickets))
        raise error

    monkeypatch.setattr(desk, "encode", refuse)
    job = a_job(desk)
    tasks.encode_batch(desk, job.id, BUNDLE, all_ids()[:20])
    record = desk.store.get_job(job.id)
    assert (record.state, record.message, calls) == ("failed", str(error), [20])


def test_an_input_error_is_the_tickets(desk, monkeypatch):
    encode = desk.encode

    def refuse(bundle_id, tickets, tokens):
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
    assert run_messages(desk, app) == 4
    assert desk.store.get_job(job.id).state == "done"
    assert desk.encoded == all_ids()


def test_with_nothing_to_encode_the_job_is_done_with_one_message(desk, app):
    jobs.start_reindex(desk, app, BUNDLE)
    run_messages(desk, app)
    job = jobs.start_reindex(desk, app, BUNDLE)
    assert (job.step, job.done, job.total) == ("comparing", 300, 300)
    assert run_messages(desk, app) == 1
    assert desk.store.get_job(job.id).message == f"Bundle {BUNDLE} serves already."


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
    assert run_messages(desk, app) == 2
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
    run_messages(desk, app)
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
    assert jobs.cancel_job(desk, job.id).state == "queued"
    run_messages(desk, app)
    assert desk.store.get_job(job.id).state == "cancelled"


def test_cancelling_ends_a_job_that_nobody_works_on(desk, app, silent):
    job = jobs.start_reindex(desk, app, BUNDLE)
    assert jobs.cancel_job(desk, job.id).state == "cancelled"
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
    with pytest.raises(NotFound, match="There is no job nope"):
        jobs.cancel_job(desk, "nope")


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
