"""What a training goes on with lies in the store, for whichever machine takes it up."""

import os
from contextlib import closing
from functools import partial

import pytest

from tests.live.encoding_desk import wait_until
from ticketing.desk import checkpoints
from ticketing.desk.checkpoints import shared_checkpoints
from ticketing.errors import StoreAway
from ticketing.jobs import Stopped
from ticketing.stores.migration import copy_all, require_equal
from ticketing.stores.snapshot import snapshot
from ticketing.stores.sqlite import SQLiteStore

JOB = "checkpoint/job/"


@pytest.fixture
def store(tmp_path):
    with closing(SQLiteStore(tmp_path / "store")) as store:
        yield store


@pytest.fixture(autouse=True)
def often(monkeypatch):
    monkeypatch.setattr(checkpoints, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(checkpoints, "REST", 0)


def names(store):
    return [file.name for file in store.files()]


def kept(store, name, content):
    return JOB + name in names(store) and [*store.file_chunks(JOB + name)] == [content.encode()]


def stopped(store, folder, files, job_id="job"):
    """A training that has written these files when it is stopped."""
    with pytest.raises(Stopped), shared_checkpoints(store, folder, job_id):
        for name, content in files.items():
            (folder / name).write_text(content)
        raise Stopped


def test_what_one_machine_has_written_is_there_on_another_one(store, tmp_path):
    stopped(store, tmp_path / "one", {"key.network": "epoch 3", "job.learned.gz": "tickets"})
    with shared_checkpoints(store, tmp_path / "other", "job"):
        assert (tmp_path / "other" / "key.network").read_text() == "epoch 3"
        assert (tmp_path / "other" / "job.learned.gz").read_text() == "tickets"


def test_a_checkpoint_is_kept_while_the_training_goes_on(store, tmp_path):
    with shared_checkpoints(store, tmp_path, "job"):
        for content in ("epoch 1", "epoch 2!"):
            (tmp_path / "key.network").write_text(content)
            wait_until(partial(kept, store, "key.network", content))
        (tmp_path / "key.network").unlink()
    assert names(store) == [], "the training is done"


def test_files_of_others_are_left_where_they_are(store, tmp_path):
    (tmp_path / "vectors").mkdir()
    stopped(store, tmp_path, {"a.categories": "", "b.tuning": "", ".c.unfinished": "", "d.e": ""})
    assert names(store) == [f"{JOB}d.e"]


@pytest.mark.parametrize("clock", [1e9, 2e9, 4e9])
def test_what_another_machine_has_reached_is_gone_on_with_whatever_the_clocks_say(
    store, tmp_path, clock
):
    one, other = tmp_path / "one", tmp_path / "other"
    stopped(store, one, {"key.network": "epoch 3"})
    stopped(store, other, {"key.network": "epoch 9"})
    (one / "key.network").write_text("epoch 4")  # by whom the killed process had begun
    os.utime(one / "key.network", (clock, clock))
    with shared_checkpoints(store, one, "job"):
        assert (one / "key.network").read_text() == "epoch 9"


@pytest.mark.parametrize("clock", [1e9, 2e9, 4e9])
def test_what_a_killed_process_had_reached_is_gone_on_with_where_nobody_else_has(
    store, tmp_path, clock
):
    for files in ({"key.network": "epoch 3"}, {}):  # put here, or fetched and left alone
        folder = tmp_path / f"of {len(files)}"
        stopped(store, folder, files)
        (folder / "key.network").write_text("epoch 4")
        os.utime(folder / "key.network", (clock, clock))
        with pytest.raises(Stopped), shared_checkpoints(store, folder, "job"):
            assert (folder / "key.network").read_text() == "epoch 4"
            (folder / "key.network").write_text("epoch 3")
            raise Stopped


def test_nothing_is_left_beside_what_a_training_has_read(store, tmp_path):
    stopped(store, tmp_path, {"key.network": "epoch 3"}, "earlier")
    with shared_checkpoints(store, tmp_path, "job"):
        (tmp_path / "key.network").unlink()
    assert list(tmp_path.iterdir()) == [tmp_path / "store"]


def test_those_of_another_job_are_forgotten(store, tmp_path):
    stopped(store, tmp_path / "one", {"key.network": "epoch 3"})
    stopped(store, tmp_path / "other", {"other.network": "epoch 1"}, "later")
    assert names(store) == ["checkpoint/later/other.network"]


def test_a_damaged_one_is_forgotten(store, tmp_path):
    stopped(store, tmp_path / "one", {"key.network": "epoch 3"})
    store.file_at(f"{JOB}key.network").write_text("epoch 4")
    with shared_checkpoints(store, tmp_path / "other", "job"):
        assert list((tmp_path / "other").iterdir()) == []


def test_a_store_that_is_away_ends_no_training(store, tmp_path, monkeypatch):
    def away(*_):
        raise StoreAway("The store does not answer; try again.")

    with pytest.raises(Stopped), shared_checkpoints(store, tmp_path / "one", "job"):
        with monkeypatch.context() as patched:
            patched.setattr(store, "put_file", away)
            (tmp_path / "one" / "key.network").write_text("epoch 3")
        raise Stopped
    assert names(store) == [f"{JOB}key.network"]


def test_no_copy_of_the_store_has_them(store, tmp_path):
    stopped(store, tmp_path / "one", {"key.network": "epoch 3"})
    store.put_file("report/job/report.html", [b"good"])
    snapshot(store, tmp_path / "snapshot", lambda *_: lambda _: None)
    with (
        closing(SQLiteStore(tmp_path / "snapshot")) as kept,
        closing(SQLiteStore(tmp_path / "copy")) as copy,
    ):
        copy_all(store, copy, lambda _, rows: rows, lambda *_: lambda _: None)
        require_equal(store, copy, lambda *_: lambda _: None)
        assert names(kept) == names(copy) == ["report/job/report.html"]
