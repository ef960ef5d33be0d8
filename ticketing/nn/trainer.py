"""The training loop: epochs, batches, progress, early stopping, checkpoints and resuming.

It works with any parameters and losses and knows no tickets.
"""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Generic, TypedDict, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from tqdm import tqdm

from ticketing.arrays import read_arrays, write_arrays
from ticketing.batches import batches
from ticketing.errors import ArraysError, InputError
from ticketing.nn.settings import LoopSettings

Example = TypeVar("Example")
"""A training example: a pair, a triplet, or a query with its ticket."""


def make_optimizer(settings: LoopSettings, parameters: Iterable[nn.Parameter]) -> Optimizer:
    """The optimizer named in the settings. Adam is fused: it updates the embeddings of tens of
    thousands of words in one pass over memory instead of ten."""
    if settings.optimizer == "adadelta":
        return torch.optim.Adadelta(parameters, lr=settings.learning_rate)
    return torch.optim.Adam(parameters, lr=settings.learning_rate, fused=True)


class Epoch(TypedDict):
    """One pass over the examples, numbered from 1: their mean loss, and the quality after it."""

    epoch: int
    loss: float
    quality: float


class Trainer(Generic[Example]):
    """Trains a network until the quality on validation data no longer rises; keeps the best epoch.

    `examples(chance)` returns an epoch's examples, `loss(batch)` a scalar to minimise, and
    `quality()` a number that should rise. `checkpoint` is a file written after each epoch. A run
    that finds it resumes and gives the same result as an uninterrupted one, since each epoch has
    its own seed.
    """

    def __init__(
        self,
        network: nn.Module,
        settings: LoopSettings,
        examples: Callable[[random.Random], Sequence[Example]],
        loss: Callable[[Sequence[Example]], Tensor],
        quality: Callable[[], float],
        checkpoint: Path | None = None,
        keep_last: bool = False,
        on_step: Callable[[int, int, str], object] = lambda done, total, said: None,
    ):
        """`on_step` is called after each batch with the number of finished and of all epochs, and
        after each epoch also with a sentence. An exception from it stops the run, which can resume
        after the last complete epoch.

        With `keep_last`, all epochs are run and the last one is kept, whatever its quality. This
        suits runs whose learning rate falls to 0 and that cannot overfit.
        """
        self.network = network
        self.settings = settings
        self.examples = examples
        self.loss = loss
        self.quality = quality
        self.checkpoint = checkpoint
        self.keep_last = keep_last
        self.on_step = on_step
        self.parameters = [p for p in network.parameters() if p.requires_grad]
        self.optimizer = make_optimizer(settings, self.parameters)
        self.history: list[Epoch] = []
        self.best: dict[str, Tensor] = {}

    def run(self) -> list[Epoch]:
        """Train and load the best epoch; returns loss and quality by epoch. Raises InputError if a
        loss is not a number."""
        epochs = self._epochs()  # from the examples of the first epoch, also in a resumed run
        self._resume()
        while len(self.history) < epochs and not self._exhausted():
            mean_loss = self._epoch(len(self.history) + 1, epochs)
            self.network.eval()
            quality = self.quality()
            if self.keep_last or all(quality > past["quality"] for past in self.history):
                self.best = {k: v.clone() for k, v in self.network.state_dict().items()}
            epoch = len(self.history) + 1
            self.history.append({"epoch": epoch, "loss": mean_loss, "quality": quality})
            self._save()
            said = f"epoch {epoch} of {epochs}: loss {mean_loss:.3f}, quality {quality:.3f}"
            self.on_step(epoch, epochs, said)
        if self.best:
            self.network.load_state_dict(self.best)
        self.network.eval()
        return self.history

    def _epochs(self) -> int:
        """The number of epochs from the settings, or as many as give the minimum number of
        batches."""
        batches = -(-len(self.examples(random.Random(0))) // self.settings.batch_size)
        enough = -(-self.settings.least_steps // max(batches, 1))
        return max(self.settings.epochs, enough) if self.settings.epochs else 0

    def _exhausted(self) -> bool:
        """Whether the last `patience` epochs were all worse than the best one."""
        if not self.history or self.keep_last:
            return False
        best = max(range(len(self.history)), key=lambda i: self.history[i]["quality"])
        return len(self.history) - 1 - best >= self.settings.patience

    def _epoch(self, epoch: int, epochs: int) -> float:
        seed = self.settings.seed * 1000 + epoch
        torch.manual_seed(seed)
        chance = random.Random(seed)
        self.network.train()
        examples = list(self.examples(chance))
        chance.shuffle(examples)
        parts = list(batches(examples, self.settings.batch_size))
        losses = []
        with tqdm(parts, desc=f"training, epoch {epoch} of {epochs}", unit="batch") as bar:
            for done, batch in enumerate(bar):
                if self.settings.decay:
                    self._slow_down((epoch - 1 + done / len(parts)) / epochs)
                losses.append(self.step(batch))
                self.on_step(epoch - 1, epochs, "")
                bar.set_postfix(loss=f"{np.mean(losses[-50:]):.3f}")
        return float(np.mean(losses)) if losses else 0.0

    def _slow_down(self, share: float) -> None:
        """Set the learning rate by the share of the training that is done (half a cosine)."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * (1 + math.cos(math.pi * share)) / 2

    def step(self, batch: Sequence[Example]) -> float:
        """One optimizer step with clipped gradients; returns the batch's loss. Raises InputError,
        before the step, if the loss is not a number."""
        self.optimizer.zero_grad()
        loss = self.loss(batch)
        if not loss.isfinite():
            raise InputError(
                f"The training got lost: a loss of epoch {len(self.history) + 1} is no number; give"
                " a smaller learning_rate."
            )
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters, self.settings.clip)
        self.optimizer.step()
        return loss.item()

    def _save(self) -> None:
        if self.checkpoint is None:
            return
        arrays = {f"network/{k}": v.numpy() for k, v in self.network.state_dict().items()}
        arrays |= {f"best/{k}": v.numpy() for k, v in self.best.items()}
        for index, state in self.optimizer.state_dict()["state"].items():
            arrays |= {f"optimizer/{index}/{k}": np.asarray(v) for k, v in state.items()}
        write_arrays(self.checkpoint, arrays, {"history": self.history})

    def _resume(self) -> None:
        if self.checkpoint is None or not self.checkpoint.exists():
            return
        try:
            arrays, about = read_arrays(self.checkpoint)
        except ArraysError:
            self.checkpoint.unlink()
            return
        groups: dict[str, dict[str, Tensor]] = {"network": {}, "best": {}, "optimizer": {}}
        for name, array in arrays.items():
            group, key = name.split("/", 1)
            groups[group][key] = torch.from_numpy(array)
        self.network.load_state_dict(groups["network"])
        self.best = groups["best"]
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in groups["optimizer"].items():
            index, key = name.split("/", 1)
            state.setdefault(int(index), {})[key] = value
        whole = self.optimizer.state_dict()
        self.optimizer.load_state_dict({**whole, "state": state})
        self.history = about["history"]
