"""An import is begun once, however often the same is sent at the same time."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fake_desk import FakeDesk
from ticketing.desk import leases
from ticketing.errors import NotReady
from ticketing.jobs import JobState
from ticketing.settings import Settings
from worker.app import make_app
from worker.importing import start_import


@pytest.fixture
def desk(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path), past_jobs=[])
    yield desk
    desk.close()


def test_a_file_sent_twice_at_once_by_one_person_is_imported_once(desk):
    """As by two tabs of a browser; another file, person or way to read it is another import."""
    app, both = make_app(desk.settings), threading.Barrier(6)
    one, other = b"id,subject,text\n1,Pump,x\n", b"id,subject,text\n2,Valve,x\n"

    def send(by, content, columns=(), check_only=False):
        arguments = desk.upload_arguments("new.csv", [content], columns, check_only)
        both.wait(timeout=30)
        return start_import(desk, app, arguments, by).id

    asked = [("ada", one), ("ada", one), ("ada", other), ("bob", one)]
    asked += [("ada", one, ["solution=text"]), ("ada", one, [], True)]
    with ThreadPoolExecutor(6) as pool:
        first, second, *others = pool.map(lambda said: send(*said), asked)
    assert first == second
    assert len({first, *others}) == 5
    kept = {file["file"] for job in desk.store.jobs() for file in job.arguments["files"]}
    assert {file.name for file in desk.store.files("import/")} == kept


def test_a_file_that_is_sent_again_after_its_import_was_cancelled_or_is_done_is_imported(desk):
    app, begun = make_app(desk.settings), []
    for end in ("done", "cancelled", ""):
        arguments = desk.upload_arguments("new.csv", [b"id,subject\n1,Pump\n"])
        job = start_import(desk, app, arguments, "ada")
        begun.append(job.id)
        if end == "done":
            desk.store.update_job(job.id, state=JobState.DONE)
        elif end:
            desk.store.update_job(job.id, state=JobState.RUNNING)
            desk.store.request_cancel(job.id)
    assert len({*begun}) == 3


def test_an_import_that_waits_too_long_for_another_ones_beginning_lets_go_of_its_files(
    desk, monkeypatch
):
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.1)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.1)
    arguments = desk.upload_arguments("new.csv", [b"id,subject\n1,Pump\n"])
    monkeypatch.setattr(leases.HeldLease, "take", lambda _: False)
    with pytest.raises(NotReady, match="The same import is being begun just now"):
        start_import(desk, make_app(desk.settings), arguments, "ada")
    assert desk.store.files("import/") == []
