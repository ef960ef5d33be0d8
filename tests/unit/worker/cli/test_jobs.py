"""`ticketing jobs` says what is being done, and that nobody does it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from click.testing import CliRunner

from tests.commands import refused, run
from tests.fake_records import jobs
from ticketing.errors import InputError, NotFound, NotReady
from ticketing.history import AuditEntry
from ticketing.jobs import JobKind, JobState
from ticketing.times import utc_now
from worker.cli.jobs import command
from worker.presence import NO_WORKER


@pytest.mark.parametrize(
    ("state", "seconds", "said"),
    [
        (JobState.QUEUED, 60, True),
        (JobState.RUNNING, 60, True),
        (JobState.RUNNING, 0, False),
        (JobState.FAILED, 60, False),
    ],
)
def test_jobs_that_nobody_is_at_are_told_of(home, desk, state, seconds, said):
    seen = utc_now() - timedelta(seconds=seconds)
    job = replace(jobs()[0], kind=JobKind.TRAINING, state=state, created=seen, heartbeat=seen)
    desk.store.put_job(job)
    listed = run(command).splitlines()
    assert listed[0].startswith(job.id)
    assert listed[1:] == ([NO_WORKER] if said else [])


@pytest.mark.parametrize("state", [JobState.DONE, JobState.CANCELLED, JobState.FAILED])
def test_a_job_that_has_ended_is_not_cancelled(desk, state):
    job = replace(jobs()[0], state=state, finished=utc_now())
    desk.store.put_job(job)
    said = refused(NotReady, command, job.id, "--cancel")
    assert said == f"Job {job.id} is {state}; there is nothing to cancel."
    assert desk.store.get_job(job.id) == job
    assert list(desk.store.events(AuditEntry)) == []


@pytest.mark.parametrize("both", [("--yes", "--no"), ("--cancel", "--retry"), ("--no", "--cancel")])
def test_of_several_things_to_do_with_a_job_none_is_done(desk, both):
    job = replace(jobs()[0], state=JobState.WAITING)
    desk.store.put_job(job)
    done = CliRunner().invoke(command, [job.id, *both])
    assert done.exit_code == 2
    first, second = sorted(both, key=["--cancel", "--retry", "--yes", "--no"].index)
    assert f"{first} and {second} exclude each other; give one of them." in done.output
    assert desk.store.get_job(job.id) == job


def test_an_evaluation_shows_its_tables_and_its_page_is_written(desk, tmp_path):
    name, lines = "report/1b9e/report.html", ["2 queries (2 with a YES)", "", "  Acc@10  0.500"]
    result = {"bundle": "b1", "report": name, "text": lines}
    desk.store.put_job(replace(jobs()[1], kind=JobKind.EVALUATION, result=result))
    desk.store.put_file(name, [b"<html>", b"\xc3\xa4"])
    shown = run(command, "1b9e")
    assert "\n".join(lines) in shown and "result: bundle = b1" in shown
    assert "It has kept report.html; `ticketing jobs 1b9e --report FILE` writes it." in shown
    assert "text =" not in shown and "report =" not in shown
    page = tmp_path / "page.html"
    said = run(command, "1b9e", "--report", str(page))
    assert said == f"report.html of the job is in {page}.\n"
    assert page.read_bytes() == b"<html>\xc3\xa4"


def test_of_a_check_the_rows_that_were_left_out_are_written(desk, tmp_path):
    """How it read the first rows was written in their place."""
    desk.store.put_job(jobs()[1])
    for name in ("first.jsonl", "rejects.jsonl"):
        desk.store.put_file(f"report/1b9e/{name}", [name.encode()])
    run(command, "1b9e", "--report", str(tmp_path / "rows.jsonl"))
    assert (tmp_path / "rows.jsonl").read_text() == "rejects.jsonl"


def test_a_job_that_has_kept_no_file_says_so(desk, tmp_path):
    desk.store.put_job(jobs()[1])
    said = refused(NotFound, command, "1b9e", "--report", str(tmp_path / "page.html"))
    assert said.startswith("Job 1b9e has kept no file: an evaluation")
    assert not (tmp_path / "page.html").exists()
    said = refused(InputError, command, "--report", str(tmp_path / "page.html"))
    assert said.startswith("Name the job to --report")


def test_the_help_says_that_a_cancelled_job_is_retried_as_well():
    assert "Queue a failed or cancelled job again." in run(command, "--help")
