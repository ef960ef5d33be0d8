"""What a person sees of a job that is followed from the command line."""

from dataclasses import replace

import pytest

from tests.fake_desk import FakeDesk
from tests.fake_records import jobs
from ticketing.errors import NotFound
from ticketing.jobs import JobKind, JobState, Step
from ticketing.settings import Settings
from ticketing.times import utc_now
from worker import follow


@pytest.fixture
def a_live_worker(monkeypatch):
    monkeypatch.setattr(follow, "workers_live", lambda *_: True)


def test_a_step_that_nobody_can_count_is_shown_with_one_colon(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(follow, "POLL_SECONDS", 0)
    desk = FakeDesk(Settings(home=tmp_path))
    running = replace(
        jobs()[0],
        kind=JobKind.TRAINING,
        state=JobState.RUNNING,
        step=Step.PRETRAINING,
        done=0,
        total=0,
        heartbeat=utc_now(),
        finished=None,
    )
    told = iter([running, replace(running, state=JobState.DONE, finished=utc_now())])
    monkeypatch.setattr(desk.store, "get_job", lambda id: next(told))
    follow.follow(desk, None, running)
    desk.close()
    assert "Pretraining: 0 epochs" in capsys.readouterr().err


@pytest.mark.usefixtures("a_live_worker")
def test_a_job_whose_record_is_gone_is_followed_no_longer(tmp_path, monkeypatch):
    """As after a restore of an older backup."""
    monkeypatch.setattr(follow, "POLL_SECONDS", 0)
    desk = FakeDesk(Settings(home=tmp_path), past_jobs=[])
    job = desk.store.create_job(JobKind.EVALUATION, "", 0)
    asked = []

    def gone(job_id):
        asked.append(job_id)
        if len(asked) > 5:
            raise AssertionError("it is still followed")

    monkeypatch.setattr(desk.store, "get_job", gone)
    with pytest.raises(NotFound, match=f"There is no job {job.id}; `ticketing jobs` lists"):
        follow.follow(desk, None, job)
    desk.close()
