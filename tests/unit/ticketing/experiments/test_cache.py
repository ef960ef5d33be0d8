"""What a measurement has made is found again, and made again where it is damaged."""

import json
import shutil
from itertools import count

import pytest

from ticketing.desk import open_desk
from ticketing.errors import BundleError
from ticketing.experiments import cache as cache_module
from ticketing.experiments.cache import TrainingCache, find_or_make, find_or_train, open_cache
from ticketing.settings import load_settings
from ticketing.tickets import Ticket


def test_a_json_file_is_made_once(tmp_path):
    made = []

    def make():
        made.append(1)
        return {"values": [len(made)]}

    path = tmp_path / "deep" / "x.json"
    assert find_or_make(path, make) == find_or_make(path, make) == {"values": [1]}


@pytest.fixture
def train():
    """Trains bundles "1", "2", ..."""
    trained = []

    def train():
        trained.append(str(len(trained) + 1))
        return trained[-1]

    return train


def test_a_model_is_trained_once_and_again_where_its_bundle_is_damaged(
    tmp_path, train, monkeypatch
):
    times = count(5, 7.5)
    monkeypatch.setattr(cache_module, "perf_counter", lambda: next(times))
    record = tmp_path / "record.json"
    assert [find_or_train(record, str, train) for _ in range(2)] == ["1", "1"]
    assert json.loads(record.read_bytes())["seconds"] == 7.5

    def load(bundle):
        if bundle == "1":
            raise BundleError("damaged")
        return bundle

    assert [find_or_train(record, load, train) for _ in range(2)] == ["2", "2"]


def test_a_bundle_that_is_gone_is_trained_again(tmp_path, trained):
    said = []
    cache = TrainingCache(tmp_path, 40, said.append)

    def train():
        shutil.copytree(trained[0], tmp_path / "models", dirs_exist_ok=True)
        return trained[1]

    def find():
        return cache.bundle("key", "a row", train, left=2)

    assert find() == find() == trained[1]
    assert said == ["Training a row, the first of 2 on 40 tickets; an estimate follows."]
    cache.models.delete(trained[1])
    assert find() == trained[1]
    assert len(said) == 2


def test_what_an_experiment_goes_on_from_lies_apart_from_the_desks(tmp_path, monkeypatch):
    """Each training drops what another one left where it begins."""
    seen = []

    def spy(tickets, labels, network, training, models, checkpoints, *_):
        seen.append((models.folder, checkpoints))
        return "1"

    monkeypatch.setattr("ticketing.training.train.train", spy)
    desk = open_desk(load_settings(home=tmp_path))
    desk.put_tickets([Ticket("T", "Pump trips")])
    monkeypatch.setattr(desk.models, "share", lambda _: None)
    cache, trainer = open_cache(desk, print)
    monkeypatch.setattr(cache.models, "share", lambda _: None)
    trainer.train()
    desk.train()
    own = tmp_path / "evaluation"
    assert seen == [(home / "models", home / "checkpoints") for home in (own, tmp_path)]
    desk.close()
