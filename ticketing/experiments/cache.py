"""Caches trainings and rankings of experiments for the next run.

Each result is named by a digest of all that it depends on (settings, a teacher's weights, texts,
labels, this program's version). So a second run only reads, an interrupted one continues, and a
changed archive is measured again.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import numpy as np

from ticketing.desk import Desk
from ticketing.errors import BundleError, NotFound
from ticketing.evaluation.runs import Ranked
from ticketing.files import Json, write_atomically
from ticketing.model.inference import Model
from ticketing.model.registry import Registry
from ticketing.model.saving import model_in
from ticketing.model.settings import NetworkSettings
from ticketing.tickets import Label, Ticket
from ticketing.training.pretraining import find_transformer
from ticketing.training.settings import TrainingSettings

Found = TypeVar("Found")


def digest(*texts: str) -> str:
    """Digest of texts in order: sixteen hex digits."""
    return hashlib.sha256("\0\0".join(texts).encode()).hexdigest()[:16]


def archive_digest(tickets: Sequence[Ticket]) -> str:
    """Digest of the tickets' texts and dates and of this program's version."""
    texts = sorted(f"{x.id}\0{x.version}\0{x.created}" for x in tickets)
    return digest(version("ticketing"), *texts)


def labels_digest(labels: Sequence[Label]) -> str:
    """Digest of labels in any order."""
    return digest(*sorted(f"{x.query.id}\0{x.ticket_id}\0{int(x.grade)}" for x in labels))


def settings_digest(network: NetworkSettings, training: TrainingSettings) -> str:
    """Digest of settings, and of the weights of a teacher that they name. Raises InputError if a
    teacher is needed and missing."""
    teacher = find_transformer(network, training)
    weights = teacher.digest if teacher else ""
    return digest(network.model_dump_json(), training.model_dump_json(), weights)


def find_or_make(path: Path, make: Callable[[], Json]) -> Json:
    """The content of a JSON file; it is made and written first if the file is missing."""
    if not path.exists():
        write_atomically(path, json.dumps(make()))
    found: Json = json.loads(path.read_bytes())
    return found


def find_or_train(
    record: Path, load: Callable[[str], Found], train: Callable[[], str], timed: bool = True
) -> Found:
    """The result of `load` for the bundle that `record` names; the bundle is trained first if it is
    missing or damaged.

    The record also holds the training's duration in seconds, unless `timed` is False.
    """
    try:
        return load(json.loads(record.read_bytes())["bundle"])
    except (FileNotFoundError, NotFound, BundleError):
        start = perf_counter()
        bundle = train()
        took = perf_counter() - start if timed else None
        write_atomically(record, json.dumps({"bundle": bundle, "seconds": took}))
        return load(bundle)


class TrainingCache:
    """Bundles trained for measurements, below one folder; none of them ever serves.

    `tickets` is the archive's size, for the estimate. `say` is called for each training, with an
    estimate once one is known.
    """

    def __init__(self, folder: Path, tickets: int, say: Callable[[str], None]):
        self.folder = folder
        self.models = Registry(folder / "models")
        self._tickets, self._say = tickets, say

    def bundle(
        self, key: str, name: str, train: Callable[[], str], left: int = 0, typical: bool = True
    ) -> str:
        """The id of the bundle that `train` saves to `models`.

        `left` is the number of trainings left, including this one. The duration of one that is not
        `typical` is not used for estimates.
        """

        def announced() -> str:
            self._say(f"Training {name}{self._estimate(left)}.")
            return train()

        record = self.folder / "trained" / f"{key}.json"
        return find_or_train(record, self._readable, announced, typical)

    def _readable(self, bundle: str) -> str:
        """The id of an existing bundle. Raises NotFound, BundleError."""
        self.models.manifest(bundle)
        return bundle

    def model(self, bundle: str) -> Model:
        """The model of a bundle."""
        return model_in(self.models.load(bundle), self.folder / "checkpoints")

    def ranked(self, key: str, rank: Callable[[], Ranked]) -> Ranked:
        """A ranking of queries, cached."""
        return Ranked(
            **find_or_make(self.folder / "ranked" / f"{key}.json", lambda: asdict(rank()))
        )

    def _estimate(self, left: int) -> str:
        """The remaining time of the trainings, estimated from those in this folder."""
        records = [json.loads(path.read_bytes()) for path in self.folder.glob("trained/*.json")]
        known = [record["seconds"] for record in records if record["seconds"] is not None]
        if not left:
            return ""
        if not known:
            return f", the first of {left} on {self._tickets} tickets; an estimate follows"
        return f"; {left} to go, about {left * np.mean(known) / 60:.0f} min"


def open_cache(desk: Desk, say: Callable[[str], None]) -> tuple[TrainingCache, Desk]:
    """The cache of the experiments' trainings, and a desk that keeps its bundles and checkpoints
    there."""
    folder = desk.settings.home / "evaluation"
    cache = TrainingCache(folder, desk.store.count_tickets(), say)
    settings = desk.settings.model_copy(update={"home": folder})
    return cache, Desk(settings, desk.store, cache.models)
