"""What a person sees of a job that is followed from the command line."""

from dataclasses import replace

from tests.fake_desk import FakeDesk
from tests.fake_records import jobs
from ticketing.jobs import JobKind, JobState, Step
from ticketing.settings import Settings
from ticketing.times import utc_now
from worker import follow


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
