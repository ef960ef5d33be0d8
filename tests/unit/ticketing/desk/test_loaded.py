"""A swap is a pointer: whoever asks is answered by the old model while the new one is loaded."""

import gc
import threading
import time

import pytest

from ticketing.desk import loaded as module
from ticketing.desk.loaded import Loaded, settle
from ticketing.errors import BundleAway


class Loading:
    """Loads names as models; those in `held` wait, those in `away` cannot be had."""

    def __init__(self):
        self.loads: list[str] = []
        self.prepared: list[str] = []
        self.kept_up: list[str] = []
        self.away: set[str] = set()
        self.broken: set[str] = set()
        self.held: dict[str, threading.Event] = {}
        self.loaded = Loaded(self.load, self.prepared.append, self.kept_up.append)

    def load(self, bundle_id):
        self.loads.append(bundle_id)
        if bundle_id in self.held:
            assert self.held[bundle_id].wait(30)
        if bundle_id in self.away:
            raise BundleAway(f"no {bundle_id}")
        if bundle_id in self.broken:
            raise ZeroDivisionError
        return f"model {bundle_id}"


@pytest.fixture
def loading(monkeypatch):
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(module, "KEEP_UP_SECONDS", 0.01)
    made = Loading()
    yield made
    for held in made.held.values():
        held.set()
    made.loaded.close()


def until(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.001)


def test_the_first_one_is_waited_for(loading):
    assert loading.loaded.serving("b1") == "model b1"
    assert loading.loaded.answering == "b1"


def test_the_collector_of_garbage_passes_over_what_was_loaded(loading, monkeypatch):
    monkeypatch.setattr(module, "settle", settle)
    gc.unfreeze()
    loading.loaded.named("b1")
    assert gc.get_freeze_count() > 0


def test_searches_are_answered_by_the_old_model_while_the_new_one_is_loaded(loading):
    loaded = loading.loaded
    loaded.serving("b1")
    loading.held["b2"] = threading.Event()
    assert [loaded.serving("b2") for _ in range(100)] == ["model b1"] * 100
    until(lambda: loading.loads == ["b1", "b2"] and loading.kept_up[:2] == ["b1", "b1"])
    assert (loading.prepared, loaded.answering, loaded.failure) == ([], "b1", None)
    loading.held["b2"].set()
    until(lambda: loaded.serving("b2") == "model b2")
    assert loading.prepared == ["b2"]
    assert loading.loads == ["b1", "b2"]


def test_nobody_is_answered_by_a_model_before_it_is_prepared(loading):
    go_on = threading.Event()
    loaded = Loaded(loading.load, lambda _: go_on.wait(30), loading.kept_up.append)
    loaded.serving("b1")
    loaded.serving("b2")
    assert loaded.named("b2") == "model b2", "who asks by name does not wait for that"
    assert loaded.serving("b2") == "model b1"
    go_on.set()
    until(lambda: loaded.serving("b2") == "model b2")


def test_whoever_asks_by_name_waits_and_it_is_loaded_once(loading):
    loading.held["b1"] = threading.Event()
    found = []
    asking = [
        threading.Thread(target=lambda: found.append(loading.loaded.named("b1"))) for _ in range(4)
    ]
    for thread in asking:
        thread.start()
    assert found == []
    loading.held["b1"].set()
    for thread in asking:
        thread.join()
    assert (found, loading.loads) == (["model b1"] * 4, ["b1"])


def test_a_bundle_that_is_loaded_already_answers_at_once(loading):
    """As in the process that has promoted it."""
    loading.loaded.serving("b1")
    loading.loaded.named("b2")
    assert loading.loaded.serving("b2") == "model b2"
    assert loading.loaded.serving("b1") == "model b1", "and back"


def test_one_that_cannot_be_had_is_tried_again_until_it_comes(loading):
    loaded = loading.loaded
    loaded.serving("b1")
    loading.away.add("b2")
    assert loaded.serving("b2") == "model b1"
    until(lambda: loading.loads.count("b2") > 2)
    assert str(loaded.failure) == "no b2"
    loading.away.clear()
    until(lambda: loaded.serving("b2") == "model b2")
    assert loaded.failure is None


def test_a_defect_while_loading_leaves_the_old_one_answering(loading, caplog):
    loaded = loading.loaded
    loaded.serving("b1")
    loading.broken.add("b2")
    assert loaded.serving("b2") == "model b1"
    until(lambda: isinstance(loaded.failure, ZeroDivisionError))
    assert loaded.serving("b2") == "model b1"
    until(lambda: "ZeroDivisionError" in caplog.text)


def test_a_rollback_while_the_next_one_is_loaded(loading):
    loaded = loading.loaded
    loaded.serving("b1")
    loading.held["b2"] = threading.Event()
    loaded.serving("b2")
    assert loaded.serving("b1") == "model b1"
    loading.held["b2"].set()
    assert loaded.named("b2") == "model b2"
    assert loaded.serving("b1") == "model b1"
    assert loaded.answering == "b1"
    until(lambda: loaded.serving("b2") == "model b2")


def test_a_failed_load_is_the_failure_of_all_who_wait(loading):
    loading.away.add("b1")
    for _ in range(2):
        with pytest.raises(BundleAway):
            loading.loaded.serving("b1")
    assert loading.loads == ["b1", "b1"]


def test_only_a_few_models_are_kept(loading):
    loaded = loading.loaded
    loaded.serving("b0")
    for number in range(1, 10):
        loaded.named(f"b{number}")
        assert loaded.serving("b0") == "model b0"
    for number in range(1, 10):
        loaded.named(f"b{number}")
    assert len(loading.loads) == 1 + 9 + 9
