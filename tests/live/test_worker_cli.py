"""`ticketing reindex` and `jobs`, with a thread that does the worker's part."""

import json
import threading
import time

import pytest
from click.testing import CliRunner

from tests.live.encoding_desk import BUNDLE, POISON, DigestDesk, wait_until
from ticketing.errors import InputError, NotFound, StoreAway, TicketingError
from ticketing.tickets import Ticket
from worker import follow, jobs, publishing, tasks
from worker.app import make_app
from worker.cli import jobs as jobs_command
from worker.cli import reindex, train
from worker.connection import waiting_messages
from worker.queues import QUEUE


@pytest.fixture
def desk(tmp_path, monkeypatch):
    desk = DigestDesk(tmp_path)
    desk.store.put_tickets([Ticket(f"{i:04}", f"ticket {i}") for i in range(300)])
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path))
    for module in (reindex, jobs_command):
        monkeypatch.setattr(module, "open_desk", lambda settings: desk)
    monkeypatch.setattr(follow, "POLL_SECONDS", 0.01)
    yield desk
    desk.close()


@pytest.fixture
def start_worker(desk):
    """Starts a thread that does a worker's part after `delay` seconds."""
    stop = threading.Event()
    threads = []

    def work(delay):
        time.sleep(delay)
        app = make_app(desk.settings)
        with app.connection_for_read() as connection:
            while not stop.wait(0.01):
                if message := connection.default_channel.basic_get(QUEUE, no_ack=True):
                    tasks.TASKS[message.headers["task"]](desk, app, *json.loads(message.body)[0])

    def start(delay=0.0):
        threads.append(threading.Thread(target=work, args=(delay,)))
        threads[-1].start()

    yield start
    stop.set()
    for thread in threads:
        thread.join()


def run(command, *arguments):
    result = CliRunner().invoke(command, arguments)
    if result.exception:
        raise result.exception
    return result.output


def test_reindex_shows_progress_waits_for_the_end_and_promotes(desk, start_worker):
    start_worker()
    output = run(reindex.command)
    assert "300/300" in output
    assert "reindex bundle: done, 300 of 300 tickets" in output
    assert "Bundle bundle serves now.\n" in output
    assert desk.store.serving() == BUNDLE


def test_reindex_takes_the_bundle_that_is_named(desk, start_worker):
    start_worker()
    assert "reindex other: done" in run(reindex.command, "other")
    assert desk.store.count_codes("other") == 300


def test_reindex_lists_what_was_set_aside(desk, start_worker):
    desk.store.put_tickets([Ticket("0007", "bad", product=POISON)])
    start_worker()
    output = run(reindex.command)
    assert "299 of 300 tickets" in output
    assert "1 set aside\n" in output
    assert "Bundle bundle serves now. (1 error)" in output
    assert "set aside: 0007: ValueError: no such word" in output


def test_reindex_does_the_work_itself_where_nobody_else_does(desk, monkeypatch):
    monkeypatch.setattr(follow, "PICK_UP_SECONDS", 0.1)
    output = run(reindex.command)
    assert "300/300" in output
    assert "reindex bundle: done, 300 of 300 tickets" in output
    assert desk.store.serving() == BUNDLE
    assert waiting_messages(make_app(desk.settings)) == 0


def test_train_lets_the_new_bundle_serve_unless_told_not_to(desk, monkeypatch):
    monkeypatch.setattr(follow, "PICK_UP_SECONDS", 0.1)
    monkeypatch.setattr(train, "open_desk", lambda settings: desk)
    monkeypatch.setattr(desk, "train", lambda *_, **__: BUNDLE, raising=False)
    monkeypatch.setattr(desk.models, "manifest", lambda _: {"data": {"tickets": 300, "labels": 0}})
    said = run(train.command, "--no-promote")
    assert "Bundle bundle is trained.\n`ticketing reindex bundle` lets it serve.\n" in said
    assert (desk.store.count_codes(BUNDLE), desk.store.serving()) == (0, "")
    assert "Bundle bundle serves now.\n" in run(train.command)
    assert (desk.store.count_codes(BUNDLE), desk.store.serving()) == (300, BUNDLE)


def test_reindex_by_itself_goes_on_with_batches_that_a_worker_lost(desk, monkeypatch):
    monkeypatch.setattr(follow, "PICK_UP_SECONDS", 0.1)
    monkeypatch.setattr(follow, "BEAT_SECONDS", -0.9)
    monkeypatch.setattr(jobs, "SILENT_SECONDS", 0.2)
    app = make_app(desk.settings)
    jobs.start_reindex(desk, app, BUNDLE)
    with app.connection_for_read() as connection:
        connection.default_channel.basic_get(QUEUE, no_ack=True)
    assert "reindex bundle: done, 300 of 300 tickets" in run(reindex.command)


def test_ctrl_c_ends_work_of_its_own(desk, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(follow, "PICK_UP_SECONDS", 0.0)
    monkeypatch.setitem(follow.TASKS, publishing.ENCODE_BATCH, interrupt)
    result = CliRunner().invoke(reindex.command)
    assert "The worker goes on" not in result.output
    assert result.exit_code == 1


def test_reindex_without_a_worker_on_a_server_says_how_to_start_one(
    desk, start_worker, monkeypatch
):
    monkeypatch.setattr(follow, "PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(follow, "PICK_UP_SECONDS", 60.0)
    start_worker(delay=3)
    assert run(reindex.command).count("start one with `ticketing work`") == 1


def test_reindex_waits_for_a_store_that_is_away_and_says_so_once(desk, start_worker, monkeypatch):
    get_job, asked = desk.store.get_job, []

    def sometimes(job_id):
        if threading.current_thread() is threading.main_thread():
            asked.append(job_id)
            if 1 < len(asked) < 6:  # the first look is at the job's start
                raise StoreAway("Elasticsearch is away; try again.")
        return get_job(job_id)

    monkeypatch.setattr(desk.store, "get_job", sometimes)
    start_worker(delay=0.3)
    output = run(reindex.command)
    assert output.count("Elasticsearch is away; try again. The job goes on when it is back.") == 1
    assert "reindex bundle: done" in output


def test_a_failed_job_is_an_error_with_its_reason_and_nothing_is_promoted(
    desk, start_worker, monkeypatch
):
    def refuse(bundle_id, tickets, tokens):
        raise NotFound("There is no bundle nope.")

    monkeypatch.setattr(desk, "encode", refuse)
    start_worker()
    with pytest.raises(TicketingError, match=r"failed at 0 of 300: There is no bundle nope\."):
        run(reindex.command, "nope")
    assert desk.store.serving() == ""


def test_cancel_asks_the_worker_and_promotes_nothing(desk):
    job = jobs.start_reindex(desk, make_app(desk.settings), BUNDLE)
    run(jobs_command.command, job.id, "--cancel")
    assert desk.store.get_job(job.id).cancel_requested
    assert "reindex bundle: queued, encoding, 0 of 300 tickets, to be cancelled" in run(
        jobs_command.command
    )


def test_ctrl_c_leaves_the_job_to_the_worker(desk, monkeypatch):
    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(follow.time, "sleep", interrupt)
    app = make_app(desk.settings)
    job = jobs.start_reindex(desk, app, BUNDLE)
    with pytest.raises(KeyboardInterrupt):  # nobody goes on with it
        follow.follow(desk, app, job)
    monkeypatch.setattr(follow, "workers_live", lambda *_: True)
    with pytest.raises(TicketingError, match="The worker goes on"):
        follow.follow(desk, app, job)
    assert [job.state for job in desk.store.jobs()] == ["queued"]


def test_jobs_says_where_there_are_none(desk):
    said = "There are no jobs yet; `ticketing train` starts one. The home is "
    assert run(jobs_command.command).startswith(said)


def test_a_job_may_be_left_to_the_workers(desk, start_worker):
    said = run(reindex.command, "--detach")
    [job] = desk.store.jobs()
    assert said == f"Job {job.id} is queued; `ticketing jobs {job.id}` shows it.\n"
    start_worker()
    wait_until(lambda: desk.store.serving() == BUNDLE)


def test_a_job_is_shown_with_what_was_asked_what_came_of_it_and_its_log(desk, start_worker):
    start_worker()
    run(reindex.command)
    [job] = desk.store.jobs()
    said = run(jobs_command.command, job.id[:8]).splitlines()
    assert said[0].startswith(f"{job.id}  reindex bundle: done, 300 of 300 tickets")
    assert "asked: promotion = rule" in said
    assert "result: may_serve = true" in said
    assert said[-1].endswith("Bundle bundle serves now.")
    assert f"{job.id[:8]}  reindex bundle: done" in run(jobs_command.command)


def test_a_job_is_answered_cancelled_and_retried(desk, start_worker):
    start_worker()
    assert "compared; waits for a yes or no" in run(reindex.command, "--ask")
    [job] = desk.store.jobs()
    assert "state" not in run(jobs_command.command, job.id, "--cancel")
    assert desk.store.get_job(job.id).state == "cancelled"
    run(jobs_command.command, job.id, "--retry")
    wait_until(lambda: desk.store.get_job(job.id).state == "waiting")
    run(jobs_command.command, job.id, "--yes")
    wait_until(lambda: desk.store.get_job(job.id).state == "done")
    assert desk.store.serving() == BUNDLE
    done = [entry.deed.value for entry in desk.audit_entries()]
    assert done == ["job begun", "job cancelled", "job retried", "answered", "promoted"]


def test_what_no_job_is_called_is_said(desk):
    with pytest.raises(NotFound, match="No jobs begin with nope"):
        run(jobs_command.command, "nope")
    with pytest.raises(InputError, match="Name the job to --cancel"):
        run(jobs_command.command, "--cancel")
