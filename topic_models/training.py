"""A training loop independent of the model: epochs, early stopping, checkpoints."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from tqdm import tqdm

from topic_models.documents import Ragged
from topic_models.errors import CheckpointError, ModelFileError
from topic_models.files import read_arrays, write_arrays
from topic_models.settings import ModelSettings

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Epoch:
    """One pass over the training documents: their perplexity during the pass (None if the model
    does not compute it), and that of the validation documents after the pass."""

    training: float | None = None
    validation: float | None = None


@dataclass(frozen=True)
class Progress:
    """Progress of training: `done` of `total` documents of epoch `epoch` (from 1) of at most
    `epochs`, and the earlier epochs."""

    epoch: int
    epochs: int
    done: int
    total: int
    history: tuple[Epoch, ...] = ()


class ProgressBar:
    """A `progress` callback that draws one bar over all epochs, with perplexities beside it."""

    def __init__(self, description: str = "topics"):
        self._bar = tqdm(desc=description, unit=" documents")

    def __call__(self, progress: Progress) -> None:
        """Draw."""
        self._bar.total = progress.epochs * progress.total
        self._bar.update((progress.epoch - 1) * progress.total + progress.done - self._bar.n)
        if progress.history:
            self._bar.set_postfix({"epoch": progress.epoch, **_shown(progress.history[-1])})

    def close(self) -> None:
        """End the bar's line."""
        self._bar.close()


def _shown(epoch: Epoch) -> dict[str, str]:
    return {name: f"{value:.0f}" for name, value in asdict(epoch).items() if value is not None}


class Learner(Protocol):
    """What the loop trains: the interface that a model implements."""

    def run_epoch(self, number: int, advance: Callable[[int], None]) -> float | None:
        """Pass once over the documents, calling `advance(documents)`; returns their perplexity.

        Randomness depends only on `number`, so that a resumed run gives the same result as an
        uninterrupted one.
        """

    def validate(self) -> float | None:
        """Perplexity of the validation documents, None without any."""

    def snapshot(self) -> dict[str, np.ndarray]:
        """A copy of everything needed to continue from here."""

    def restore(self, arrays: Arrays) -> None:
        """Return to a snapshot."""


@dataclass
class _Run:
    """State of a training: the latest snapshot, the best one, and the epochs so far."""

    now: Arrays
    best: Arrays
    history: tuple[Epoch, ...] = ()

    @property
    def since_best(self) -> int:
        """Epochs since the lowest validation perplexity (0 without validation)."""
        scores = [epoch.validation for epoch in self.history if epoch.validation is not None]
        return len(scores) - 1 - int(np.argmin(scores)) if scores else 0

    def write(self, path: Path, fingerprint: str) -> None:
        parts = {"now": self.now, "best": self.best}
        arrays = {f"{part}/{name}": a for part in parts for name, a in parts[part].items()}
        history = [asdict(epoch) for epoch in self.history]
        write_arrays(path, arrays, {"fingerprint": fingerprint, "history": history})

    @classmethod
    def read(cls, path: Path, fingerprint: str) -> "_Run":
        try:
            arrays, about = read_arrays(path)
        except ModelFileError as error:
            raise CheckpointError(f"{error} Delete it to start anew.") from None
        if about.get("fingerprint") != fingerprint:
            raise CheckpointError(
                f"{path} belongs to a training run with other settings or documents; "
                "delete it to start anew."
            )
        parts: dict[str, dict[str, np.ndarray]] = {"now": {}, "best": {}}
        for name, array in arrays.items():
            part, _, name = name.partition("/")
            parts[part][name] = array
        return cls(**parts, history=tuple(Epoch(**epoch) for epoch in about["history"]))


def fingerprint(settings: ModelSettings, *parts: Ragged | None) -> str:
    """Digest of all that a training depends on: settings and documents."""
    digest = hashlib.sha256(settings.model_dump_json().encode())
    for part in parts:
        digest.update(b"-" if part is None else part.lengths.tobytes() + part.words.tobytes())
    return digest.hexdigest()


def train(
    learner: Learner,
    *,
    documents: int,
    epochs: int,
    patience: int,
    fingerprint: str,
    progress: Callable[[Progress], None] | None = None,
    checkpoint: Path | None = None,
) -> tuple[Epoch, ...]:
    """Train for at most `epochs` passes and leave the learner at the best of them.

    The best epoch is that of the lowest validation perplexity; training ends when `patience`
    epochs have brought none lower. Without validation the last epoch is the best.
    `checkpoint` is a file written after each epoch; where it exists, training goes on from
    it. Raises CheckpointError when it is damaged or its `fingerprint` differs.
    """
    if checkpoint is not None and checkpoint.exists():
        run = _Run.read(checkpoint, fingerprint)
    else:
        start = learner.snapshot()
        run = _Run(now=start, best=start)
    learner.restore(run.now)
    while len(run.history) < epochs and run.since_best < patience:
        number = len(run.history) + 1
        done = 0

        def advance(count: int, number: int = number) -> None:
            nonlocal done
            done += count
            if progress is not None:
                progress(Progress(number, epochs, done, documents, run.history))

        epoch = Epoch(learner.run_epoch(number, advance), learner.validate())
        run.now, run.history = learner.snapshot(), (*run.history, epoch)
        if run.since_best == 0:
            run.best = run.now
        if checkpoint is not None:
            run.write(checkpoint, fingerprint)
    learner.restore(run.best)
    return run.history
