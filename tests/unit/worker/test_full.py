"""A store that takes no writes, as while Elasticsearch's disk is full: workers wait and say so."""

import errno

import pytest
from celery import Celery
from click.testing import CliRunner

from tests.fake_desk import FakeDesk
from ticketing import files
from ticketing.errors import InputError, StoreFull
from ticketing.jobs import JobKind
from ticketing.settings import Settings
from worker import supervisor, workplace
from worker.cli import work
from worker.working import failing
from worker.workplace import Workplace

FULL = "Elasticsearch at http://es1:9200 lets nothing be written; free some room."
WAITS = f"{FULL} Workers wait and go on by themselves."


@pytest.fixture
def desk(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path), past_jobs=[])
    yield desk
    desk.close()


@pytest.fixture
def place(desk):
    return Workplace(lambda: desk)


def full(*_, **__):
    raise StoreFull(FULL)


def test_a_task_waits_for_room_and_says_so_once(desk, place, monkeypatch, caplog):
    monkeypatch.setattr(workplace, "LOOK_SECONDS", 0.0)
    job, tries, app = desk.store.create_job(JobKind.IMPORT, "", 1), [], Celery(set_as_current=False)

    def put(desk, app, job_id: str):
        tries.append(job_id)
        with monkeypatch.context() as patch:
            if len(tries) < 4:
                patch.setattr(desk.store, "update_job", full)
            with failing(desk, job_id):
                desk.store.update_job(job_id, done=1)

    place.add_task(app, "put", put, None)
    app.tasks["put"].apply((job.id,), throw=True)
    assert len(tries) == 4
    assert desk.store.get_job(job.id).done == 1
    assert caplog.messages == [WAITS, "The store takes writes again; workers go on."]
    assert not any(record.exc_info for record in caplog.records)


def test_workers_do_not_begin_in_a_home_that_takes_no_files(tmp_path, monkeypatch):
    """They said that they wait for work, before they said this."""

    def refuse(**_):
        raise OSError(errno.EROFS, "Read-only file system", "/home/tmp0_jr1ynf")

    monkeypatch.setattr(files.tempfile, "TemporaryFile", refuse)
    monkeypatch.setattr(supervisor, "get_context", lambda _: pytest.fail("a process was begun"))
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path))
    result = CliRunner().invoke(work.command)
    assert result.output == ""
    assert isinstance(result.exception, InputError)
    assert str(result.exception) == (
        f"The home {tmp_path} takes no files (Read-only file system); let it be written to, or name"
        " another with TICKETING_HOME."
    )


def test_a_failure_is_written_where_it_can_be(desk, caplog):
    job = desk.store.create_job(JobKind.IMPORT, "", 1)
    with failing(desk, job.id):
        full()
    assert desk.store.get_job(job.id).message == FULL
    assert caplog.messages == [f"job {job.id} failed: {FULL}"]


def test_watch_and_beat_say_once_that_nothing_can_be_written(place, caplog):
    for what in ("look for jobs to resume", "keep the schedule") * 3:
        with place.tolerating(what):
            full()
    assert caplog.messages == [WAITS]
