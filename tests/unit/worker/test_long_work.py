"""A job that is interrupted in its first moments says so, and is left to whoever takes it up."""

import subprocess
import sys

import pytest

from tests.fake_desk import FakeDesk
from ticketing.jobs import JobKind, JobState
from ticketing.settings import Settings
from worker.app import make_app
from worker.long_work import INTERRUPTED, do_job

MODULES = "import sys, worker.long_work; print(*sys.modules)"


def test_a_job_that_is_interrupted_as_it_is_said_to_run_is_queued_again(tmp_path, monkeypatch):
    desk = FakeDesk(Settings(home=tmp_path), past_jobs=[])
    app = make_app(desk.settings)
    job = desk.store.create_job(JobKind.IMPORT, "", 0, {"files": []}, "ann")
    update = desk.whole.update_job

    def interrupted(id, **changes):
        done = update(id, **changes)
        if changes.get("state") == JobState.RUNNING:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(desk.whole, "update_job", interrupted)
    with pytest.raises(KeyboardInterrupt):
        do_job(desk, app, job.id)
    left = desk.store.get_job(job.id)
    desk.close()
    assert (left.state, left.log[-1].text) == (JobState.QUEUED, INTERRUPTED)


def test_what_an_import_needs_is_loaded_before_it_is_said_to_run():
    """An interruption while a module is being loaded ends the process at once."""
    done = subprocess.run([sys.executable, "-c", MODULES], capture_output=True, text=True)
    assert {"ticketing.importing", "ticketing.tables"} <= set(done.stdout.split())
