"""The loop: resuming to the same result, stopping early, keeping the best epoch."""

import math
import random

import pytest
import torch
from torch import nn

from ticketing.errors import InputError
from ticketing.nn.trainer import Trainer
from ticketing.training.settings import TrainingSettings


class Regression:
    """Learns y = 2x from six numbers with noise from torch, quality as told."""

    def __init__(
        self, checkpoint=None, qualities=None, stop_after=None, keep_last=False, **settings
    ):
        torch.manual_seed(7)
        self.network = nn.Sequential(nn.Linear(1, 4), nn.Dropout(0.3), nn.Linear(4, 1))
        self.qualities = qualities
        self.stop_after = stop_after
        self.seen = []
        values = {"epochs": 6, "least_steps": 0, "patience": 6, "batch_size": 2}
        values |= {"learning_rate": 0.01, **settings}
        self.trainer = Trainer(
            self.network,
            TrainingSettings(**values),
            self.examples,
            self.loss,
            self.quality,
            checkpoint,
            keep_last,
        )

    def examples(self, chance: random.Random):
        return [(x + chance.random() / 10, 2.0 * x) for x in range(6)]

    def loss(self, batch):
        x, y = torch.tensor(batch).T
        return (self.network(x[:, None])[:, 0] - y).square().mean()

    def quality(self):
        epoch = len(self.trainer.history)
        if epoch == self.stop_after:
            raise KeyboardInterrupt
        self.seen.append({k: v.clone() for k, v in self.network.state_dict().items()})
        return float(epoch) if self.qualities is None else self.qualities[epoch]

    def parameters(self):
        return [p.tolist() for p in self.network.parameters()]


@pytest.mark.parametrize("lost", [math.nan, math.inf])
def test_a_training_that_got_lost_ends_with_what_to_do(tmp_path, lost):
    run = Regression(tmp_path / "run")
    loss = run.trainer.loss
    run.trainer.loss = lambda batch: loss(batch) * (lost if run.trainer.history else 1)
    with pytest.raises(InputError, match=r"epoch 2 is no number.*smaller learning_rate"):
        run.trainer.run()
    weights = [p for p in run.network.parameters() if not p.isfinite().all()]
    assert not weights and len(run.trainer.history) == 1


@pytest.mark.parametrize("optimizer", ["adam", "adadelta"])
def test_a_run_that_was_broken_off_ends_exactly_as_an_unbroken_one(tmp_path, optimizer):
    unbroken = Regression(optimizer=optimizer)
    history = unbroken.trainer.run()
    with pytest.raises(KeyboardInterrupt):
        Regression(tmp_path / "run", stop_after=2, optimizer=optimizer).trainer.run()
    resumed = Regression(tmp_path / "run", optimizer=optimizer)
    assert resumed.trainer.run() == history
    assert resumed.parameters() == unbroken.parameters()
    assert len(resumed.seen) == 4  # two epochs were not done again


def test_a_resumed_run_has_as_many_epochs_where_examples_differ_by_epoch(tmp_path):
    """Four examples in batches of two in the first epoch and six in each later one: seven steps are
    four epochs by the first, and would be three by the others."""

    def run(**values):
        learner = Regression(tmp_path / "run", epochs=1, least_steps=7, **values)
        whole = learner.trainer.examples
        learner.trainer.examples = lambda chance: whole(chance)[
            : 6 if learner.trainer.history else 4
        ]
        return learner

    with pytest.raises(KeyboardInterrupt):
        run(stop_after=2).trainer.run()
    assert len(run().trainer.run()) == 4


def test_a_finished_run_is_not_trained_further(tmp_path):
    first = Regression(tmp_path / "run", qualities=[1, 3, 2, 1, 1, 1])
    history = first.trainer.run()
    again = Regression(tmp_path / "run")
    assert again.trainer.run() == history
    assert again.seen == []
    assert again.parameters() == first.parameters()


def test_the_same_seed_trains_the_same_and_another_differs():
    one, same, other = Regression(), Regression(), Regression(seed=1)
    for each in (one, same, other):
        each.trainer.run()
    assert one.parameters() == same.parameters() != other.parameters()


def test_training_stops_after_patience_and_keeps_the_best_epoch():
    learner = Regression(qualities=[0.1, 0.5, 0.4, 0.5, 0.9, 0.9], patience=2)
    history = learner.trainer.run()
    assert [epoch["quality"] for epoch in history] == [0.1, 0.5, 0.4, 0.5]
    assert [epoch["epoch"] for epoch in history] == [1, 2, 3, 4]
    best = learner.seen[1]
    assert all(torch.equal(v, best[k]) for k, v in learner.network.state_dict().items())
    assert not learner.network.training


def test_the_last_epoch_is_kept_where_that_is_wanted_also_by_a_resumed_run(tmp_path):
    falling = {"qualities": [6, 5, 4, 3, 2, 1], "patience": 1, "keep_last": True, "decay": True}
    learner = Regression(**falling)
    assert len(learner.trainer.run()) == 6
    last = learner.seen[-1]
    assert all(torch.equal(v, last[k]) for k, v in learner.network.state_dict().items())
    with pytest.raises(KeyboardInterrupt):
        Regression(tmp_path / "run", stop_after=3, **falling).trainer.run()
    resumed = Regression(tmp_path / "run", **falling)
    resumed.trainer.run()
    assert resumed.parameters() == learner.parameters()


@pytest.mark.parametrize(
    ("epochs", "least_steps", "expected"), [(1, 7, 3), (1, 3, 1), (4, 7, 4), (0, 7, 0)]
)
def test_a_small_archive_is_passed_over_more_often(epochs, least_steps, expected):
    """Six examples in batches of two are three steps an epoch."""
    history = Regression(epochs=epochs, least_steps=least_steps).trainer.run()
    assert len(history) == expected


def test_training_learns():
    history = Regression(epochs=40, patience=40, learning_rate=0.05).trainer.run()
    assert history[-1]["loss"] < history[0]["loss"] / 2


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:-9], lambda data: b"{}"])
def test_a_damaged_checkpoint_is_ignored(tmp_path, damage):
    path = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        Regression(path, stop_after=2).trainer.run()
    path.write_bytes(damage(path.read_bytes()))
    resumed, unbroken = Regression(path), Regression()
    assert resumed.trainer.run() == unbroken.trainer.run()
    assert resumed.parameters() == unbroken.parameters()


def test_no_epochs_leave_the_network_as_it_was():
    learner = Regression(epochs=0)
    before = learner.parameters()
    assert learner.trainer.run() == []
    assert learner.parameters() == before


def test_gradients_are_clipped():
    """With plain steps of Adadelta replaced by SGD of rate 1, a step is no longer than `clip`."""
    learner = Regression(clip=0.25)
    learner.trainer.optimizer = torch.optim.SGD(learner.network.parameters(), lr=1.0)
    before = torch.cat([p.flatten() for p in learner.network.parameters()]).clone()
    learner.trainer.step([(100.0, -100.0), (50.0, 9.0)])
    after = torch.cat([p.flatten() for p in learner.network.parameters()])
    assert (after - before).norm().item() == pytest.approx(0.25, rel=1e-3)
