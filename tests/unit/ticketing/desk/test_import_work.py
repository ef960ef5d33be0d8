"""An import as a job: it sees what whoever asked sees, and repeats nothing that it has done."""

import json
import os
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import PurePosixPath

import pytest

from tests.fake_desk import FakeDesk
from ticketing import tables
from ticketing.desk import imports
from ticketing.desk.imports import IMPORTS, needed_files
from ticketing.desk.long_work import do
from ticketing.errors import InputError, NotReady, StoreAway
from ticketing.importing import load
from ticketing.jobs import Job, JobKind, JobState, Step, Stopped, ignore_step
from ticketing.people import LOCAL, Person, Role
from ticketing.settings import Settings
from ticketing.tickets import Ticket
from ticketing.times import utc_now

HR, LAB = frozenset(["hr"]), frozenset(["lab"])
EVE = Person("eve", Role.ADMIN, LAB)
HIDDEN = Ticket("HR-1", "Payslip is wrong", solution="withheld", groups=HR)
FILE = "id,subject,seen by\nA-1,Pump leaks,lab\nHR-1,Mine now,\nA-2,Valve sticks,hr\n"
COUNTS = {"added": 2, "changed": 0, "unchanged": 0, "rejected": 1}


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.setattr(load, "BATCH", 2)
    desk = FakeDesk(Settings(home=tmp_path), [HIDDEN], past_jobs=[])
    yield desk
    desk.close()


def job_of(desk, person=EVE, file=FILE, **columns) -> Job:
    arguments = desk.seen_by(person).upload_arguments(
        "new.csv", [file.encode()], [f"{field}={name}" for field, name in columns.items()]
    )
    return desk.store.create_job(JobKind.IMPORT, "", 0, arguments, person.name)


def rejects(desk, job) -> list[dict[str, object]]:
    kept = b"".join(desk.whole.file_chunks(f"report/{job.id}/rejects.jsonl"))
    return [json.loads(line) for line in kept.splitlines()]


def test_a_row_under_the_id_of_a_hidden_ticket_is_rejected_and_the_others_are_imported(desk):
    job = job_of(desk, groups="seen by")
    result = do(desk, job, ignore_step)
    assert {name: result[name] for name in COUNTS} == COUNTS
    assert desk.store.get_tickets(["HR-1", "A-2"]) == {
        "HR-1": HIDDEN,
        "A-2": Ticket("A-2", "Valve sticks", groups=HR),
    }
    reason = "HR-1 cannot be used; choose another one"
    assert rejects(desk, job) == [{"file": "new.csv", "line": 3, "field": "id", "reason": reason}]
    assert desk.store.files("import/") == []


def test_a_row_under_the_id_of_a_deleted_hidden_ticket_is_rejected(desk):
    desk.delete_tickets(["HR-1"])
    job = job_of(desk)
    result = do(desk, job, ignore_step)
    assert {name: result[name] for name in COUNTS} == COUNTS
    assert [reject["line"] for reject in rejects(desk, job)] == [3]
    assert desk.store.matching_ids(["A-1", "HR-1", "A-2"]) == {"A-1", "A-2"}
    assert do(desk, job_of(desk, LOCAL), ignore_step)["added"] == 1


@pytest.mark.parametrize("person", [LOCAL, Person("hal", Role.ADMIN, HR)])
def test_whoever_sees_a_ticket_changes_it_by_an_import(desk, person):
    result = do(desk, job_of(desk, person, groups="seen by"), ignore_step)
    assert (result["added"], result["changed"], result["rejected"]) == (2, 1, 0)
    mine = replace(HIDDEN, subject="Mine now", groups=frozenset())
    assert desk.store.get_tickets(["HR-1"])["HR-1"] == mine


def test_an_import_asked_for_before_it_said_whose_it_is_still_runs(desk):
    job = job_of(desk, groups="seen by")
    del job.arguments["groups"]
    assert do(desk, job, ignore_step)["changed"] == 1


def test_what_an_import_has_put_for_others_is_not_refused_when_it_goes_on(desk):
    rows = "".join(f"HR-{i},Pay,hr\n" for i in range(2, 7))
    job = job_of(desk, file=f"id,subject,seen by\n{rows}", groups="seen by")

    def stopping(*_, **__):
        if "HR-4" in desk.store.matching_ids(["HR-4"]):
            raise Stopped

    with pytest.raises(Stopped):
        do(desk, job, stopping)
    desk.store.put_tickets([replace(HIDDEN, id="HR-6")])  # in a page that was not read before
    result = do(desk, desk.store.get_job(job.id), ignore_step)
    assert (result["added"], result["unchanged"], result["rejected"]) == (4, 0, 1)
    assert [reject["line"] for reject in rejects(desk, job)] == [6]


def test_a_page_that_was_put_in_part_is_put_again_but_not_over_what_others_put(desk, monkeypatch):
    job = job_of(desk, file="id,subject,seen by\nHR-2,Pay,hr\nHR-3,Pay,hr\n", groups="seen by")

    def put_in_part(tickets, keep):
        desk.store.put_tickets(tickets[:1])
        raise StoreAway("It is away.")

    with monkeypatch.context() as away:
        away.setattr(desk, "put_tickets", put_in_part)
        with pytest.raises(StoreAway):
            do(desk, job, ignore_step)
    theirs = replace(HIDDEN, id="HR-3")
    desk.store.put_tickets([theirs])
    result = do(desk, desk.store.get_job(job.id), ignore_step)
    assert (result["unchanged"], result["rejected"]) == (1, 1)
    assert [reject["reason"][:4] for reject in rejects(desk, job)] == ["HR-3"]
    assert desk.store.get_tickets(["HR-3"])["HR-3"] == theirs


def test_a_ticket_that_others_put_while_a_page_is_looked_through_is_not_replaced(desk, monkeypatch):
    job = job_of(desk, file="id,subject\nA-1,Pump leaks\nHR-7,Mine\nA-2,Valve\n")
    theirs, put_file = replace(HIDDEN, id="HR-7"), desk.store.put_file

    def put_meanwhile(name, chunks):
        desk.store.put_tickets([theirs])
        return put_file(name, chunks)

    def stopping(*_, **__):
        if "A-1" in desk.store.matching_ids(["A-1"]):
            raise Stopped

    with monkeypatch.context() as meanwhile, pytest.raises(Stopped):
        meanwhile.setattr(desk.store, "put_file", put_meanwhile)
        do(desk, job, stopping)
    assert desk.store.get_tickets(["HR-7"])["HR-7"] == theirs
    result = do(desk, desk.store.get_job(job.id), ignore_step)
    assert (result["added"], result["changed"], result["rejected"]) == (2, 0, 1)
    assert [reject["line"] for reject in rejects(desk, job)] == [3]


def test_a_ticket_that_a_killed_page_gave_to_others_is_known_as_its_own_by_what_it_says(
    desk, monkeypatch
):
    desk.put_tickets([Ticket("A-1", "Pump", solution="Seal it", groups=LAB)])
    job = job_of(desk, file="id,subject,seen by\nA-1,Pump leaks,hr\n", groups="seen by")

    def killed(*_):
        raise StoreAway("It is away.")

    with monkeypatch.context() as away, pytest.raises(StoreAway):
        away.setattr(desk, "encode", killed)
        do(desk, job, ignore_step)
    result = do(desk, desk.store.get_job(job.id), ignore_step)
    assert (result["unchanged"], result["rejected"]) == (1, 0)
    assert desk.store.get_tickets(["A-1"])["A-1"] == Ticket(
        "A-1", "Pump leaks", solution="Seal it", groups=HR
    )
    assert desk.store.stale_ids(desk.store.serving()) == []


def test_rows_rejected_before_a_stop_are_still_told_after_it(desk):
    job = job_of(desk, groups="seen by")

    def stopping(*_, **__):
        if "A-1" in desk.store.matching_ids(["A-1"]):
            raise Stopped

    with pytest.raises(Stopped):
        do(desk, job, stopping)
    desk.delete_tickets(["HR-1"])  # too late for its row: that page is done
    result = do(desk, desk.store.get_job(job.id), ignore_step)
    assert {name: result[name] for name in COUNTS} == COUNTS


def test_an_import_that_fails_names_files_as_they_were_given_and_tells_what_it_left_out(
    desk, monkeypatch
):
    monkeypatch.setattr(tables, "MOST_REJECTS", 2)
    job = job_of(desk, file="id,subject\nA-1,Pump leaks\nA-1,Pump\n,x\n,y\n")
    with pytest.raises(InputError) as caught:
        do(desk, job, ignore_step)
    twice = "A-1 was already given at new.csv:2"
    assert str(caught.value) == (
        f"new.csv has more than 2 rows that cannot be used; the first is new.csv:3: id: {twice}."
        " Export it again."
    )
    first, second = rejects(desk, job)
    assert first == {"file": "new.csv", "line": 3, "field": "id", "reason": twice}
    assert second["line"] == 4
    desk.require_files(desk.store.get_job(job.id))  # it may be retried


def test_rejected_rows_name_files_as_they_were_given_wherever_they_lie_meanwhile(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path / "Büro (2)"), [HIDDEN], past_jobs=[])
    job = job_of(desk, file="id,subject\nA-1,Pump leaks\nA-1,Pump\n")
    do(desk, job, ignore_step)
    [rejected] = rejects(desk, job)
    desk.close()
    assert rejected["file"] == "new.csv"
    assert "Büro" not in str(rejected)


def test_an_import_that_names_no_groups_keeps_those_of_a_ticket_seen(desk):
    desk.put_tickets([Ticket("A-1", "Pump", groups=LAB)])
    do(desk, job_of(desk, file="id,subject\nA-1,Pump leaks\nHR-1,Mine\n"), ignore_step)
    assert desk.store.get_tickets(["A-1"])["A-1"] == Ticket("A-1", "Pump leaks", groups=LAB)
    assert desk.store.get_tickets(["HR-1"])["HR-1"] == HIDDEN


def test_an_import_that_was_killed_at_its_end_lets_go_of_its_files(desk):
    job = job_of(desk)
    desk.store.update_job(job.id, result={**COUNTS, "to_come": 0})
    assert do(desk, desk.store.get_job(job.id), ignore_step)["added"] == 2
    assert desk.store.files("import/") == []


def test_a_cancelled_import_says_how_far_it_came(desk):
    job = job_of(desk, groups="seen by")
    desk.store.update_job(job.id, total=3)
    desk.store.request_cancel(job.id)
    with pytest.raises(Stopped):
        do(desk, desk.store.get_job(job.id), ignore_step)
    stopped = desk.store.get_job(job.id)
    assert (stopped.done, stopped.result["added"]) == (2, 1)


def stopped_at(page):
    """Ends an import once so many pages are put."""

    def on_step(step, done=0, total=0):
        if step in (Step.IMPORTING, Step.CHECKING) and done >= 2 * page:
            raise Stopped

    return on_step


EIGHT = "id,subject\n" + "".join(f"B-{i},Fan {i}\n" for i in range(8))


def test_an_import_that_goes_on_can_be_ended_while_it_reads_what_was_put(desk):
    job, steps = job_of(desk, LOCAL, EIGHT), []
    with pytest.raises(Stopped):
        do(desk, job, stopped_at(3))

    def ended(step, done=0, total=0):
        steps.append((step, done, total))
        if len(steps) == 3:
            raise Stopped

    with pytest.raises(Stopped):
        do(desk, desk.store.get_job(job.id), ended)
    assert steps == [(Step.READING, 6, 8)] * 3
    assert do(desk, desk.store.get_job(job.id), ignore_step)["added"] == 8


def refuse(monkeypatch, *ids):
    """As by a newer program, to which rows of these ids say too little."""
    read = load.to_ticket

    def stricter(row, mapping, before=None):
        ticket = read(row, mapping, before)
        if isinstance(ticket, Ticket) and ticket.id in ids:
            return tables.Reject(row.file, row.line, "id", "says too little")
        return ticket

    monkeypatch.setattr(load, "to_ticket", stricter)


@pytest.mark.parametrize("check_only", [False, True])
@pytest.mark.parametrize(
    "refused", [["B-0"], ["B-7"], [f"B-{i}" for i in range(1, 8)]], ids=["first", "last", "most"]
)
def test_an_import_that_another_program_goes_on_with_loses_no_row(
    desk, monkeypatch, refused, check_only
):
    """Its pages are others: rows that had come to be in a page put before were left out."""
    arguments = desk.upload_arguments("new.csv", [EIGHT.encode()], check_only=check_only)
    job = desk.store.create_job(JobKind.IMPORT, "", 0, arguments, "ann")
    with pytest.raises(Stopped):
        do(desk, job, stopped_at(3))
    refuse(monkeypatch, *refused)
    result = do(desk, desk.store.get_job(job.id), ignore_step)
    counted = (result["added"], result["unchanged"], result["rejected"])
    left = 8 - len(refused)
    stored = {f"B-{i}" for i in range(8)} & desk.store.matching_ids([f"B-{i}" for i in range(8)])
    if check_only:
        assert counted == (left, 0, len(refused)) and not stored
    else:
        assert stored >= {f"B-{i}" for i in range(8)} - {*refused}
        assert (sum(counted), counted[2]) == (8, len(refused))


def test_an_import_that_is_to_begin_anew_and_has_ended_meanwhile_is_left(desk, monkeypatch):
    job = job_of(desk, LOCAL, EIGHT)
    with pytest.raises(Stopped):
        do(desk, job, stopped_at(1))
    refuse(monkeypatch, "B-0")
    begun = desk.store.get_job(job.id)
    ended = desk.store.update_job(job.id, state=JobState.FAILED)
    with pytest.raises(Stopped):
        do(desk, begun, ignore_step)
    assert desk.store.get_job(job.id) == ended


def test_an_import_that_is_read_as_before_puts_nothing_again(desk, monkeypatch):
    job, put = job_of(desk, LOCAL, EIGHT), []
    with pytest.raises(Stopped):
        do(desk, job, stopped_at(3))
    refuse(monkeypatch, "B-7")  # in a page that was not put
    put_tickets = desk.put_tickets
    monkeypatch.setattr(
        desk,
        "put_tickets",
        lambda page, keep: put.append(len(page)) or put_tickets(page, keep=keep),
    )
    result = do(desk, desk.store.get_job(job.id), ignore_step)
    assert (put, result["added"], result["unchanged"], result["rejected"]) == ([1], 7, 0, 1)


@pytest.mark.parametrize("rows", [[",x"] * 5, ["1,a", "2,b", ",x"]], ids=["all", "the last"])
def test_an_import_reads_to_its_end_though_rows_are_rejected(desk, rows):
    job, steps = job_of(desk, LOCAL, "\n".join(["id,subject", *rows])), []
    with suppress(InputError):  # every row was rejected
        do(desk, job, lambda step, done=0, total=0: steps.append((step, done, total)))
    assert desk.store.get_job(job.id).done == len(rows)
    assert steps[-1] == (Step.IMPORTING, len(rows), len(rows))


def stopped(desk) -> Job:
    """An import that was cancelled after its first page."""
    job = job_of(desk, groups="seen by")
    desk.store.request_cancel(job.id)
    with pytest.raises(Stopped):
        do(desk, desk.store.get_job(job.id), ignore_step)
    return desk.store.update_job(job.id, state=JobState.CANCELLED)


def test_files_of_an_import_that_was_given_up_are_forgotten_after_a_month(desk, monkeypatch):
    job, waiting = stopped(desk), job_of(desk)
    of_both = {PurePosixPath(file.name).parent for file in desk.store.files("import/")}
    assert len(of_both) == 2 and len(desk.store.files("import/")) == 3
    with monkeypatch.context() as later:
        later.setattr(imports, "utc_now", lambda: utc_now() + timedelta(days=29))
        desk.forget_imports()
    desk.require_files(job)
    with monkeypatch.context() as later:
        later.setattr(imports, "utc_now", lambda: utc_now() + timedelta(days=31))
        desk.forget_imports()
    assert [file.name for file in desk.store.files("import/")] == list(needed_files(waiting))
    with pytest.raises(NotReady) as caught:
        desk.require_files(job)
    assert str(caught.value) == (
        f"Job {job.id} cannot be retried, as new.csv is no longer kept; import it again."
    )


def test_what_a_killed_import_was_reading_is_deleted_and_nothing_of_another(desk):
    killed = desk.settings.home / IMPORTS / "killed" / "0" / "tickets.csv"
    killed.parent.mkdir(parents=True)
    killed.write_text("id,subject")
    with desk.import_folder() as folder:
        (folder / "tickets.csv").write_text("id,subject")
        desk.forget_imports()
        assert os.listdir(desk.settings.home / IMPORTS) == [folder.name]
        assert (folder / "tickets.csv").exists()
    assert os.listdir(desk.settings.home / IMPORTS) == []


def test_an_import_of_which_all_was_put_needs_no_file(desk):
    job = job_of(desk)
    do(desk, job, ignore_step)
    desk.require_files(desk.store.get_job(job.id))


def checking(desk, person=LOCAL, file=FILE) -> Job:
    columns = ["groups=seen by"]
    arguments = desk.seen_by(person).upload_arguments("new.csv", [file.encode()], columns, True)
    return desk.store.create_job(JobKind.IMPORT, "", 0, arguments, person.name)


def test_a_check_says_what_would_be_stored_and_stores_nothing(desk):
    known = Ticket("A-1", "Pump leaks", groups=frozenset(["lab"]))
    desk.store.put_tickets([known])
    before = list(desk.store.iter_tickets())
    rows = "".join(f"B-{i},Fan {i},\n" for i in range(3))
    job = checking(desk, file=f"{FILE}{rows}B-1,twice,\n")
    steps = []
    result = do(desk, job, lambda step, done=0, total=0: steps.append((step, done, total)))
    assert {name: result[name] for name in COUNTS} == {
        "added": 4,
        "changed": 1,
        "unchanged": 1,
        "rejected": 1,
    }
    assert list(desk.store.iter_tickets()) == before
    assert desk.store.files("import/") == []
    assert steps[0] == (Step.READING, 0, 7) and steps[-1] == (Step.CHECKING, 7, 7)
    [reject] = rejects(desk, job)
    assert (reject["line"], reject["field"]) == (8, "id")
    first, second = map(
        json.loads, b"".join(desk.whole.file_chunks(f"report/{job.id}/first.jsonl")).splitlines()
    )
    assert first | {"id": "A-1"} == first and first["groups"] == "lab"
    assert second["id"] == "HR-1" and second["subject"] == "Mine now"


def test_a_check_says_where_a_long_text_goes_on(desk):
    """Its subject seemed to be cut."""
    row = f"A-1,{'x' * 301},{'y' * 300},lab"
    job = checking(desk, file=f"id,subject,description,seen by\n{row}\n")
    do(desk, job, ignore_step)
    first = json.loads(b"".join(desk.whole.file_chunks(f"report/{job.id}/first.jsonl")))
    assert (first["subject"], first["description"]) == (f"{'x' * 300}…", "y" * 300)


def test_a_check_names_no_hidden_ticket_and_goes_on_where_it_stopped(desk):
    job = checking(desk, EVE)

    def stopping(step, done=0, total=0):
        if step == Step.CHECKING:
            raise Stopped

    with pytest.raises(Stopped):
        do(desk, job, stopping)
    result = do(desk, desk.store.get_job(job.id), ignore_step)
    assert {name: result[name] for name in COUNTS} == COUNTS
    assert [reject["line"] for reject in rejects(desk, job)] == [3]
    kept = b"".join(desk.whole.file_chunks(f"report/{job.id}/first.jsonl")).decode()
    assert "A-1" in kept and "HR-1" not in kept
    assert [ticket.id for ticket in desk.store.iter_tickets()] == ["HR-1"]
