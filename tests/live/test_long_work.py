"""Training, evaluation and import as jobs, done here as a worker does them."""

import errno
import gzip
import json
from datetime import timedelta

import pytest

from tests.live.encoding_desk import ANN, BUNDLE, DigestDesk
from ticketing.errors import InputError, NotReady, StoreAway, StoreError
from ticketing.importing import read_mapping
from ticketing.jobs import JobState, Promotion, Step
from ticketing.tickets import Ticket
from ticketing.times import utc_now
from worker import jobs, long_work, publishing, tasks
from worker.ending import Ending
from worker.importing import start_import
from worker.progress import SINCE
from worker.queues import LONG_QUEUE, QUEUE


class LearningDesk(DigestDesk):
    """Trains in three epochs, which take no time; `at_epoch` is called at each."""

    def __init__(self, home):
        super().__init__(home)
        self.epochs = []
        self.learned = []
        self.at_epoch = lambda epoch: None

    def train(self, network, training, before, vectors, labels, tickets, told, made):
        self.learned.append((len(tickets), len(labels)))
        for epoch in range(len(self.epochs) + 1, 4):
            self.at_epoch(epoch)
            told(Step.TRAINING, epoch, 3, f"epoch {epoch} of 3")
            self.epochs.append(epoch)
        made(BUNDLE)
        return BUNDLE


@pytest.fixture
def desk(tmp_path, monkeypatch):
    desk = LearningDesk(tmp_path)
    desk.store.put_tickets([Ticket(f"{i:04}", f"ticket {i}") for i in range(20)])
    facts = {"data": {"tickets": 20, "labels": 3}}
    monkeypatch.setattr(desk.models, "manifest", lambda *_: facts)
    monkeypatch.setattr(desk.models, "ids", lambda: [BUNDLE])
    yield desk
    desk.close()


def run_one(desk, app, queue=LONG_QUEUE, **options):
    """Do what a worker would with the next message; False where none waits."""
    with app.connection_for_read() as connection:
        message = connection.default_channel.basic_get(queue, no_ack=True)
    if message:
        arguments = json.loads(message.body)[0]
        tasks.TASKS[message.headers["task"]](desk, app, *arguments, **options)
    return bool(message)


def train(desk, app, **arguments):
    return jobs.start_training(desk, app, desk.training_arguments(**arguments), "ann")


# training ---------------------------------------------------------------------------------------


def test_a_training_makes_a_bundle_which_is_encoded_and_promoted(desk, app):
    job = train(desk, app)
    assert not run_one(desk, app, QUEUE), "encoding never waits behind it"
    assert run_one(desk, app)
    record = desk.store.get_job(job.id)
    assert (record.state, record.message) == ("done", "Bundle bundle is trained.")
    assert (record.done, record.total, record.step, record.attempts) == (3, 3, "training", 1)
    reindex = desk.store.get_job(record.result["reindex"])
    result = {name: value for name, value in record.result.items() if name != SINCE}
    assert result == {"bundle": BUNDLE, "tickets": 20, "labels": 3, "reindex": reindex.id}
    assert (reindex.bundle_id, reindex.by) == (BUNDLE, "ann")
    said = [line.text for line in record.log]
    assert said == ["begun", *(f"epoch {i} of 3" for i in (1, 2, 3)), "Bundle bundle is trained."]
    while run_one(desk, app, QUEUE):
        pass
    assert desk.store.serving() == BUNDLE


def test_a_full_disk_is_said_in_a_sentence_and_the_job_may_be_retried(desk, app, caplog):
    def full(epoch):
        raise OSError(errno.ENOSPC, "No space left on device")

    desk.at_epoch = full
    job = train(desk, app)
    run_one(desk, app)
    record = desk.store.get_job(job.id)
    assert record.state == JobState.FAILED
    assert record.message.startswith("No room is left on a disk of ")
    assert "Traceback" not in caplog.text
    desk.at_epoch = lambda epoch: None
    jobs.retry_job(desk, app, job.id, ANN)
    run_one(desk, app)
    assert desk.store.get_job(job.id).state == JobState.DONE


def test_a_training_may_leave_the_serving_bundle_alone(desk, app):
    job = train(desk, app, promotion=Promotion.NEVER)
    run_one(desk, app)
    assert desk.store.get_job(job.id).state == "done"
    assert len(desk.store.jobs()) == 1


def test_another_training_is_refused_until_the_first_has_ended(desk, app):
    first = train(desk, app)
    assert train(desk, app) == first
    with pytest.raises(NotReady, match=f"Another training is under way \\(job {first.id}\\)"):
        train(desk, app, training={"epochs": 1})


def test_another_training_takes_the_place_of_one_that_nobody_does(desk, app, silent):
    first = train(desk, app)
    assert train(desk, app, training={"epochs": 1}).id != first.id
    assert desk.store.get_job(first.id).state == "cancelled"


def test_no_wrong_clock_ends_a_training_that_somebody_does(desk, app, silent, monkeypatch):
    """To a machine whose clock is an hour ahead every heartbeat is old."""
    monkeypatch.setattr("ticketing.desk.leases.LEASE_SECONDS", 3.0)
    monkeypatch.setattr("ticketing.desk.leases.RENEW_SECONDS", 0.1)
    job, states = train(desk, app, promotion=Promotion.NEVER), []

    def meanwhile(epoch):
        if epoch == 2:
            with pytest.raises(NotReady, match="Another training is under way"):
                train(desk, app, training={"epochs": 1})
            states.append(desk.store.get_job(job.id).cancel_requested)
            states.append(jobs.resume_jobs(desk, app))
            states.append(jobs.cancel_job(desk, job.id).state)

    desk.at_epoch = meanwhile
    run_one(desk, app)
    assert states == [False, [], "running"]
    assert desk.store.get_job(job.id).state == "cancelled", "at its next step, by who does it"


def test_another_training_waits_for_the_lease_of_one_that_was_killed(
    desk, app, silent, monkeypatch
):
    monkeypatch.setattr("ticketing.desk.leases.LEASE_SECONDS", 0.5)
    first = train(desk, app)
    desk.store.take_lease(jobs.lease_of(first.id), "killed", 0.5)
    assert train(desk, app, training={"epochs": 1}).id != first.id
    assert desk.store.get_job(first.id).state == "cancelled"


def test_a_training_is_cancelled_at_its_next_step_and_retried_from_there(desk, app):
    job = train(desk, app)
    desk.at_epoch = lambda epoch: epoch == 2 and jobs.cancel_job(desk, job.id)
    run_one(desk, app)
    assert desk.store.get_job(job.id).state == "cancelled"
    assert desk.epochs == [1, 2]
    assert not run_one(desk, app)
    desk.at_epoch = lambda epoch: None
    jobs.retry_job(desk, app, job.id, ANN)
    run_one(desk, app)
    record = desk.store.get_job(job.id)
    assert (record.state, record.attempts, desk.epochs) == ("done", 2, [1, 2, 3])


@pytest.mark.parametrize("promotion", [Promotion.RULE, Promotion.NEVER])
def test_a_training_that_is_cancelled_once_its_bundle_is_there_starts_no_reindex(
    desk, app, monkeypatch, promotion
):
    """Retried, it goes on with that bundle."""
    job, facts = train(desk, app, promotion=promotion), desk.models.manifest(BUNDLE)

    def cancel(_):
        jobs.cancel_job(desk, job.id)
        return facts

    with monkeypatch.context() as patch:
        patch.setattr(desk.models, "manifest", cancel)
        run_one(desk, app)
    record = desk.store.get_job(job.id)
    assert (record.state, record.result["bundle"]) == ("cancelled", BUNDLE)
    assert len(desk.store.jobs()) == 1
    jobs.retry_job(desk, app, job.id, ANN)
    run_one(desk, app)
    record = desk.store.get_job(job.id)
    assert (record.state, desk.epochs) == ("done", [1, 2, 3])
    assert ("reindex" in record.result) == (promotion == Promotion.RULE)


def test_a_training_goes_on_with_the_tickets_it_began_with(desk, app):
    """A desk lives on: with other tickets a checkpoint belongs to another training."""
    job, ending = train(desk, app), Ending()
    desk.at_epoch = lambda epoch: epoch == 2 and ending.ask()
    run_one(desk, app, ending=ending)
    desk.store.put_tickets([Ticket("new", "It came meanwhile")])
    run_one(desk, app)
    assert desk.store.get_job(job.id).state == "done"
    assert desk.learned == [(20, 0), (20, 0)]
    assert list(desk.settings.home.glob("checkpoints/*")) == []


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "wiki.vec"
    path.write_text(words_of(1))
    return path


def words_of(number):
    """A file of vectors as wide as they are by default."""
    return "pump" + f" {number}" * 300 + "\n"


def vectors_of(desk):
    """The files of vectors: in the store, and on this machine."""
    folder = desk.settings.home / "checkpoints" / "vectors"
    return len(desk.store.files("vectors/")), sum(path.is_file() for path in folder.rglob("*"))


def test_a_file_of_vectors_is_kept_until_its_training_is_done(desk, app, vectors):
    job, ending = train(desk, app, vectors=vectors), Ending()
    desk.at_epoch = lambda epoch: epoch == 2 and ending.ask()
    run_one(desk, app, ending=ending)
    assert vectors_of(desk) == (1, 1)
    desk.at_epoch = lambda epoch: None
    run_one(desk, app)
    assert desk.store.get_job(job.id).state == "done"
    assert vectors_of(desk) == (0, 0)
    assert list(desk.settings.home.glob("checkpoints/vectors/*")) == []


@pytest.fixture
def a_day_later(monkeypatch):
    """To whoever drops files of vectors, which were put just now."""
    later = utc_now() + timedelta(days=1, minutes=1)
    monkeypatch.setattr("ticketing.desk.long_work.utc_now", lambda: later)


@pytest.mark.usefixtures("a_day_later")
def test_a_cancelled_trainings_vectors_are_kept_until_another_one_begins(desk, app, vectors):
    for number in (1, 2):
        vectors.write_text(words_of(number))
        desk.epochs.clear()
        job = train(desk, app, vectors=vectors)
        desk.at_epoch = lambda epoch, job=job: epoch == 2 and jobs.cancel_job(desk, job.id)
        run_one(desk, app)
        assert desk.store.get_job(job.id).state == "cancelled"
        assert vectors_of(desk) == (1, 1)
    desk.at_epoch = lambda epoch: None
    jobs.retry_job(desk, app, job.id, ANN)
    run_one(desk, app)
    assert desk.store.get_job(job.id).state == "done"


@pytest.mark.parametrize("number", [1, 2], ids=["the same file", "another file"])
def test_vectors_of_a_training_that_is_just_being_asked_for_are_kept(desk, app, vectors, number):
    """They were dropped by the one that began or ended just then, and the new training failed."""
    first, asked = train(desk, app, vectors=vectors), []
    vectors.write_text(words_of(number))
    desk.at_epoch = lambda epoch: (
        epoch == 3 and asked.append(desk.training_arguments(vectors=vectors))
    )
    run_one(desk, app)
    assert desk.store.get_job(first.id).state == "done"
    desk.at_epoch = lambda epoch: None
    second = jobs.start_training(desk, app, asked[0], "bob")
    run_one(desk, app)
    assert desk.store.get_job(second.id).message == "Bundle bundle is trained."
    assert vectors_of(desk) == (0, 0)


@pytest.mark.usefixtures("a_day_later")
def test_a_training_whose_vectors_another_one_has_dropped_is_not_retried(desk, app, vectors):
    job = train(desk, app, vectors=vectors)
    jobs.cancel_job(desk, job.id)
    run_one(desk, app)
    train(desk, app)
    run_one(desk, app)
    with pytest.raises(NotReady) as caught:
        jobs.retry_job(desk, app, job.id, ANN)
    assert str(caught.value) == (
        f"Job {job.id} cannot be retried, as wiki.vec is no longer kept; "
        "run `ticketing train --vectors FILE` again."
    )
    assert desk.store.get_job(job.id).state == "cancelled"
    assert list(desk.audit_entries()) == []


def test_a_training_whose_bundle_was_deleted_since_trains_anew(desk, app, monkeypatch):
    """It was done at once, and a reindex waited for a bundle that nobody had."""
    job = train(desk, app)
    desk.store.update_job(job.id, result={"bundle": BUNDLE})
    monkeypatch.setattr(desk.models, "ids", lambda: [])
    run_one(desk, app)
    assert desk.epochs == [1, 2, 3]


def test_a_training_that_failed_after_its_bundle_is_retried_without_its_vectors(
    desk, app, vectors, monkeypatch
):
    def full(*_):
        raise StoreError("Full.")

    job = train(desk, app, vectors=vectors)
    with monkeypatch.context() as patch:
        patch.setattr(long_work, "start_reindex", full)
        run_one(desk, app)
    assert (desk.store.get_job(job.id).state, vectors_of(desk)) == ("failed", (0, 0))
    jobs.retry_job(desk, app, job.id, ANN)
    run_one(desk, app)
    assert desk.store.get_job(job.id).state == "done"


def test_a_worker_that_is_to_end_hands_a_training_back(desk, app):
    job, ending = train(desk, app), Ending()
    desk.at_epoch = lambda epoch: epoch == 2 and ending.ask()
    run_one(desk, app, ending=ending)
    record = desk.store.get_job(job.id)
    assert (record.state, record.log[-1].text) == ("queued", long_work.INTERRUPTED)
    assert run_one(desk, app)
    assert desk.store.get_job(job.id).state == "done"


def test_a_training_whose_worker_was_killed_is_taken_up_again(desk, app, silent, monkeypatch):
    def kill(epoch):
        raise SystemExit

    job = train(desk, app)
    desk.at_epoch = kill
    with pytest.raises(SystemExit):
        run_one(desk, app)
    assert desk.store.get_job(job.id).state == "running"
    desk.at_epoch = lambda epoch: None
    assert [resumed.id for resumed in jobs.resume_jobs(desk, app)] == [job.id]
    assert run_one(desk, app)
    record = desk.store.get_job(job.id)
    assert (record.state, record.attempts) == ("done", 2)
    assert "begun again, attempt 2" in [line.text for line in record.log]


def test_a_message_that_comes_twice_trains_once(desk, app, monkeypatch):
    monkeypatch.setattr("ticketing.desk.leases.LEASE_SECONDS", 3.0)
    monkeypatch.setattr("ticketing.desk.leases.RENEW_SECONDS", 0.1)
    job = train(desk, app)
    desk.at_epoch = lambda epoch: epoch == 1 and tasks.TASKS[publishing.DO_JOB](desk, app, job.id)
    run_one(desk, app)
    assert desk.epochs == [1, 2, 3]
    assert desk.store.get_job(job.id).attempts == 1


def test_a_trained_bundle_is_not_trained_again_because_the_store_was_away(desk, app, monkeypatch):
    monkeypatch.setattr(long_work, "AGAIN_SECONDS", 0.0)
    job, update, failures = train(desk, app), desk.store.update_job, [1, 2, 3]

    def sometimes(job_id, **changes):
        if changes.get("result") == {"bundle": BUNDLE} and failures:
            failures.pop()
            raise StoreAway("Frozen; try again.")
        return update(job_id, **changes)

    monkeypatch.setattr(desk.store, "update_job", sometimes)
    run_one(desk, app)
    assert desk.store.get_job(job.id).state == "done"
    assert (desk.epochs, failures) == ([1, 2, 3], [])


def test_what_a_training_cannot_use_is_said_before_it_begins(desk):
    with pytest.raises(InputError, match="epochs='many'"):
        desk.training_arguments(training={"epochs": "many"})


def test_a_file_of_vectors_is_refused_before_anything_is_kept_or_queued(desk, app, tmp_path):
    packed, wide = tmp_path / "wiki.vec.gz", tmp_path / "wide.vec"
    packed.write_bytes(gzip.compress(words_of(1).encode()))
    wide.write_text("pump 1 2\n")
    with pytest.raises(InputError) as caught:
        train(desk, app, vectors=packed)
    assert str(caught.value) == f"{packed} is packed; unpack it first, as with gunzip."
    with pytest.raises(InputError, match="has 2 dimensions a word; set"):
        train(desk, app, vectors=wide)
    assert train(desk, app, network={"word_dims": 2}, vectors=wide).state == "queued"
    assert [file.name.split("/")[-1] for file in desk.store.files()] == ["wide.vec"]
    assert len(desk.store.jobs()) == 1


# import -----------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "tickets.csv"
    rows = [f"N{i},A pump stands still {i}" for i in range(1200)]
    path.write_text("id,subject\n" + "\n".join([*rows, "N1,again"]) + "\n")
    return path


def begin(desk, app, file):
    arguments = desk.import_arguments([file], read_mapping())
    return start_import(desk, app, arguments, "ann")


def test_an_import_needs_nothing_but_the_store(desk, app, file):
    job = begin(desk, app, file)
    file.unlink()
    run_one(desk, app)
    record = desk.store.get_job(job.id)
    assert (record.state, record.done, record.total) == ("done", 1201, 1201)
    assert record.message == "1,200 tickets added, 0 changed, 0 unchanged, 1 row rejected."
    assert desk.store.count_tickets() == 1220
    [kept] = [file.name for file in desk.store.files()]
    rejects = b"".join(desk.whole.file_chunks(kept)).decode()
    assert kept == f"report/{job.id}/rejects.jsonl"
    assert json.loads(rejects)["reason"] == "N1 was already given at tickets.csv:3"


@pytest.mark.parametrize("check_only", [True, False], ids=["checked", "stored"])
def test_an_import_whose_every_row_is_rejected_has_failed(desk, app, file, check_only):
    """It was done, and a program that waits for its job took nothing for something."""
    file.write_text("id,subject\n,A pump stands still\n,A valve leaks\n")
    arguments = desk.import_arguments([file], read_mapping(), check_only=check_only)
    job = start_import(desk, app, arguments, "ann")
    said = "Every row was rejected: mend the rows, or name the right columns."
    for again in (False, True):
        if again:
            jobs.retry_job(desk, app, job.id, ANN)
        run_one(desk, app)
        record = desk.store.get_job(job.id)
        assert (record.state, record.message) == ("failed", said)
        rejects = b"".join(desk.whole.file_chunks(f"report/{job.id}/rejects.jsonl")).decode()
        assert [json.loads(line)["line"] for line in rejects.splitlines()] == [2, 3]


def test_an_import_goes_on_from_its_page(desk, app, file, silent, monkeypatch):
    put, pages = desk.put_tickets, []

    def once(tickets, keep):
        if len(pages) == 1:
            pages.append("killed")
            raise SystemExit
        pages.append(len(tickets))
        return put(tickets, keep=keep)

    monkeypatch.setattr(desk, "put_tickets", once)
    job = begin(desk, app, file)
    with pytest.raises(SystemExit):
        run_one(desk, app)
    assert desk.store.get_job(job.id).result["pages"] == 1
    jobs.resume_jobs(desk, app)
    run_one(desk, app)
    record = desk.store.get_job(job.id)
    assert (record.state, pages) == ("done", [500, "killed", 500, 200])
    assert (record.result["added"], record.result["rejected"]) == (1200, 1)
    assert record.message.endswith(f"1 row rejected. {long_work.STORED_BEFORE}")


def test_an_import_is_cancelled_at_its_next_page(desk, app, file, monkeypatch):
    put, job = desk.put_tickets, begin(desk, app, file)

    def cancel(tickets, keep):
        jobs.cancel_job(desk, job.id)
        return put(tickets, keep=keep)

    monkeypatch.setattr(desk, "put_tickets", cancel)
    run_one(desk, app)
    assert desk.store.get_job(job.id).state == JobState.CANCELLED
    assert desk.store.count_tickets() == 520


def test_an_import_that_is_cancelled_once_all_is_stored_is_done(desk, app, file, monkeypatch):
    drop, job = desk.store.drop_file, begin(desk, app, file)

    def cancel(name):
        jobs.cancel_job(desk, job.id)
        drop(name)

    monkeypatch.setattr(desk.store, "drop_file", cancel)
    run_one(desk, app)
    record = desk.store.get_job(job.id)
    assert (record.state, record.result["added"]) == (JobState.DONE, 1200)
