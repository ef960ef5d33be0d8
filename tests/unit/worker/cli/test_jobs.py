"""`ticketing jobs` says what is being done, and that nobody does it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.commands import run
from tests.fake_records import jobs
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
